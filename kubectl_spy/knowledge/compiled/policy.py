"""Made by `python -m tools.knowledge` from policy.yaml."""

DATA = {
    'group': 'policy',
    'docs': 'https://kubernetes.io/docs/tasks/run-application/configure-pdb/',
    'kinds': {
        'PodDisruptionBudget': {'owns': []},
    },
}
