"""Made by `python -m tools.knowledge` from traefik.containo.us.yaml."""

DATA = {
    'group': 'traefik.containo.us',
    'docs': 'https://doc.traefik.io/traefik/reference/routing-configuration/kubernetes/crd/http/ingressroute/',
    'kinds': {
        'IngressRoute': {'references': {'spec.routes[].services[].name': {'kind': 'Service', 'namespace': 'spec.routes[].services[].namespace', 'waits': False}, 'spec.routes[].middlewares[].name': {'kind': 'Middleware.traefik.containo.us', 'namespace': 'spec.routes[].middlewares[].namespace'}, 'spec.tls.secretName': 'Secret', 'spec.tls.options.name': {'kind': 'TLSOption.traefik.containo.us', 'namespace': 'spec.tls.options.namespace'}}, 'owns': []},
        'IngressRouteTCP': {'references': {'spec.routes[].services[].name': {'kind': 'Service', 'namespace': 'spec.routes[].services[].namespace'}, 'spec.tls.secretName': 'Secret'}, 'owns': []},
        'IngressRouteUDP': {'references': {'spec.routes[].services[].name': {'kind': 'Service', 'namespace': 'spec.routes[].services[].namespace'}}, 'owns': []},
    },
}
