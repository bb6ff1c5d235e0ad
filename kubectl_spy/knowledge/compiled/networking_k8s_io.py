"""Made by `python -m tools.knowledge` from networking.k8s.io.yaml."""

DATA = {
    'group': 'networking.k8s.io',
    'docs': 'https://kubernetes.io/docs/concepts/services-networking/ingress/',
    'kinds': {
        'Ingress': {'owns': []},
    },
}
