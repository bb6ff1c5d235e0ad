"""Made by `python -m tools.knowledge` from grafana.integreatly.org.yaml."""

DATA = {
    'group': 'grafana.integreatly.org',
    'docs': 'https://grafana.github.io/grafana-operator/docs/api/',
    'kinds': {
        '*': {'health': [{'failed': {'conditions': {'InvalidSpec': True}}}, {'failed': {'conditions': {'NoMatchingInstance': True}}}, {'failed': {'conditions': {'NoMatchingFolder': True}}}, {'failed': {'conditions': {'NotificationPolicyLoopDetected': True}}}, {'failed': {'status.conditions[].reason': 'ApplyFailed'}, 'says': 'it was not applied: {status.conditions[].message}'}, {'failed': {'status.NoMatchingInstances': True}, 'says': 'no Grafana matches its selector'}, {'paused': {'conditions': {'Suspended': True}}}, {'current': {'status.conditions[].reason': 'ApplySuccessful'}}], 'conditions': {'bad': ['InvalidSpec', 'NoMatchingInstance', 'NoMatchingFolder', 'NotificationPolicyLoopDetected'], 'neutral': ['Suspended']}, 'owns': []},
        'Grafana': {'health': [{'paused': {'conditions': {'Suspended': True}}}, {'failed': {'status.stageStatus': 'failed'}, 'says': 'stage {status.stage} has failed: {status.lastMessage}'}, {'waiting': {'status.stageStatus': 'in progress'}}, {'current': {'status.stage': 'complete', 'status.stageStatus': 'success'}}, {'waiting': {'status.stageStatus': 'success'}}], 'owns': ['deployments.apps', 'services', 'persistentvolumeclaims', 'configmaps', 'secrets', 'ingresses.networking.k8s.io']},
    },
}
