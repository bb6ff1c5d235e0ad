"""Made by `python -m tools.knowledge` from keda.sh.yaml."""

DATA = {
    'group': 'keda.sh',
    'docs': 'https://keda.sh/docs/latest/reference/scaledobject-spec/',
    'kinds': {
        'ScaledObject': {'health': [{'failed': {'conditions': {'Ready': False}}}, {'paused': {'conditions': {'Paused': True}}}, {'waiting': {'conditions': {'Ready': 'Unknown'}}}], 'conditions': {'bad': ['Fallback'], 'warning': ['Fallback'], 'neutral': ['Active', 'Paused']}, 'references': {'spec.scaleTargetRef': 'ref', 'spec.triggers[].authenticationRef.name': 'TriggerAuthentication.keda.sh'}, 'owns': ['horizontalpodautoscalers.autoscaling']},
        'ScaledJob': {'docs': 'https://keda.sh/docs/latest/reference/scaledjob-spec/', 'health': [{'failed': {'conditions': {'Ready': False}}}, {'paused': {'conditions': {'Paused': True}}}, {'waiting': {'conditions': {'Ready': 'Unknown'}}}], 'conditions': {'bad': ['Fallback'], 'warning': ['Fallback'], 'neutral': ['Active', 'Paused']}, 'references': {'spec.triggers[].authenticationRef.name': 'TriggerAuthentication.keda.sh'}, 'owns': ['jobs.batch']},
        'TriggerAuthentication': {'docs': 'https://keda.sh/docs/latest/concepts/authentication/', 'references': {'spec.secretTargetRef[].name': 'Secret', 'spec.configMapTargetRef[].name': 'ConfigMap'}, 'owns': []},
        'ClusterTriggerAuthentication': {'docs': 'https://keda.sh/docs/latest/concepts/authentication/', 'references': {'spec.secretTargetRef[].name': 'Secret', 'spec.configMapTargetRef[].name': 'ConfigMap'}, 'owns': []},
    },
}
