"""Made by `python -m tools.knowledge` from route.openshift.io.yaml."""

DATA = {
    'group': 'route.openshift.io',
    'docs': 'https://docs.openshift.com/container-platform/latest/networking/routes/route-configuration.html',
    'kinds': {
        'Route': {'health': [{'failed': {'status.ingress[].conditions[].status': 'False'}, 'says': 'a router has not admitted it: {status.ingress[].conditions[].reason}: {status.ingress[].conditions[].message}'}, {'current': {'status.ingress[].conditions[].status': {'every': 'True'}}}], 'references': {'spec.to': 'ref', 'spec.alternateBackends[]': 'ref', 'spec.tls.externalCertificate.name': 'Secret'}, 'owns': []},
    },
}
