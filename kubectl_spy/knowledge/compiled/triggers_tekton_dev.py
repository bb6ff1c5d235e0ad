"""Made by `python -m tools.knowledge` from triggers.tekton.dev.yaml."""

DATA = {
    'group': 'triggers.tekton.dev',
    'docs': 'https://tekton.dev/docs/triggers/eventlisteners/',
    'kinds': {
        'EventListener': {'health': [{'failed': {'conditions': {'Available': {'status': False, 'reason': ['MinimumReplicasUnavailable', 'ProgressDeadlineExceeded']}}}, 'grace': 120}, {'failed': {'conditions': {'Deployment': False}}}, {'failed': {'conditions': {'Service': False}}}, {'failed': {'conditions': {'Ready': False}}, 'grace': 120}], 'references': {'spec.triggers[].triggerRef': 'Trigger.triggers.tekton.dev', 'spec.serviceAccountName': 'ServiceAccount'}, 'owns': ['deployments.apps', 'services']},
    },
}
