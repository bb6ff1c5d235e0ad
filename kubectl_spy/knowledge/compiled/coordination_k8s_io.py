"""Made by `python -m tools.knowledge` from coordination.k8s.io.yaml."""

DATA = {
    'group': 'coordination.k8s.io',
    'docs': 'https://kubernetes.io/docs/concepts/architecture/leases/',
    'kinds': {
        'Lease': {'owns': []},
    },
}
