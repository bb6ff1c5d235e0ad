"""Made by `python -m tools.knowledge` from tekton.dev.yaml."""

DATA = {
    'group': 'tekton.dev',
    'docs': 'https://tekton.dev/docs/pipelines/pipeline-api/',
    'kinds': {
        'PipelineRun': {'health': [{'failed': {'conditions': {'Succeeded': False}}, 'final': True}, {'ended': {'conditions': {'Succeeded': True}}}, {'paused': {'conditions': {'Succeeded': {'status': 'Unknown', 'reason': 'PipelineRunPending'}}}}, {'waiting': {'conditions': {'Succeeded': 'Unknown'}}}], 'references': {'spec.pipelineRef.name': 'Pipeline.tekton.dev', 'spec.taskRunTemplate.serviceAccountName': 'ServiceAccount', 'spec.workspaces[].persistentVolumeClaim.claimName': 'PersistentVolumeClaim', 'spec.workspaces[].secret.secretName': 'Secret', 'spec.workspaces[].configMap.name': 'ConfigMap'}, 'owns': ['taskruns.tekton.dev', 'customruns.tekton.dev', 'runs.tekton.dev', 'persistentvolumeclaims', 'statefulsets.apps']},
        'TaskRun': {'health': [{'failed': {'conditions': {'Succeeded': False}}, 'final': True}, {'ended': {'conditions': {'Succeeded': True}}}, {'paused': {'conditions': {'Succeeded': {'status': 'Unknown', 'reason': 'PipelineRunPending'}}}}, {'waiting': {'conditions': {'Succeeded': 'Unknown'}}}], 'references': {'spec.taskRef.name': 'Task.tekton.dev', 'spec.serviceAccountName': 'ServiceAccount', 'spec.workspaces[].persistentVolumeClaim.claimName': 'PersistentVolumeClaim', 'spec.workspaces[].secret.secretName': 'Secret', 'spec.workspaces[].configMap.name': 'ConfigMap'}, 'owns': ['pods']},
        'CustomRun': {'health': [{'failed': {'conditions': {'Succeeded': False}}, 'final': True}, {'ended': {'conditions': {'Succeeded': True}}}, {'paused': {'conditions': {'Succeeded': {'status': 'Unknown', 'reason': 'PipelineRunPending'}}}}, {'waiting': {'conditions': {'Succeeded': 'Unknown'}}}]},
        'Run': {'health': [{'failed': {'conditions': {'Succeeded': False}}, 'final': True}, {'ended': {'conditions': {'Succeeded': True}}}, {'paused': {'conditions': {'Succeeded': {'status': 'Unknown', 'reason': 'PipelineRunPending'}}}}, {'waiting': {'conditions': {'Succeeded': 'Unknown'}}}]},
    },
}
