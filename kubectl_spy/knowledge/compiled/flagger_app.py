"""Made by `python -m tools.knowledge` from flagger.app.yaml."""

DATA = {
    'group': 'flagger.app',
    'docs': 'https://docs.flagger.app/usage/how-it-works#canary-status',
    'kinds': {
        'Canary': {'health': [{'failed': {'status.phase': 'Failed'}, 'says': '{conditions.Promoted.reason}: {conditions.Promoted.message}'}, {'paused': {'spec.suspend': True}}, {'paused': {'status.phase': ['Waiting', 'WaitingPromotion']}, 'says': 'its phase is {status.phase}: {conditions.Promoted.message}'}, {'waiting': {'status.phase': ['Initializing', 'Progressing', 'Promoting', 'Finalising', 'Terminating']}, 'says': 'its phase is {status.phase}: {conditions.Promoted.message}'}, {'current': {'status.phase': ['Initialized', 'Succeeded']}}], 'conditions': {'good': ['Promoted']}, 'references': {'spec.targetRef': 'ref', 'spec.autoscalerRef': 'ref', 'spec.ingressRef': 'ref', 'spec.upstreamRef': 'ref'}},
        'MetricTemplate': {'owns': []},
        'AlertProvider': {'references': {'spec.secretRef.name': 'Secret'}, 'owns': []},
    },
}
