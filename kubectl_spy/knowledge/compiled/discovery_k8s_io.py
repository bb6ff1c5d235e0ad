"""Made by `python -m tools.knowledge` from discovery.k8s.io.yaml."""

DATA = {
    'group': 'discovery.k8s.io',
    'docs': 'https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/',
    'kinds': {
        'EndpointSlice': {'owns': []},
    },
}
