"""Made by `python -m tools.knowledge` from projectcontour.io.yaml."""

DATA = {
    'group': 'projectcontour.io',
    'docs': 'https://projectcontour.io/docs/main/config/fundamentals/#status-reporting',
    'kinds': {
        'HTTPProxy': {'health': [{'failed': {'status.currentStatus': 'invalid'}, 'says': 'it is invalid: {status.conditions[].errors[].message} {status.description}'}, {'failed': {'status.currentStatus': 'orphaned'}, 'grace': 60, 'says': 'it is orphaned: {status.description}'}, {'waiting': {'status.currentStatus': 'NotReconciled'}}, {'current': {'status.currentStatus': 'valid'}}], 'references': {'spec.virtualhost.tls.secretName': {'kind': 'Secret', 'waits': False}, 'spec.routes[].services[].name': 'Service', 'spec.tcpproxy.services[].name': 'Service', 'spec.includes[].name': {'kind': 'HTTPProxy.projectcontour.io', 'namespace': 'spec.includes[].namespace'}}, 'owns': []},
        'ExtensionService': {'health': [{'failed': {'conditions': {'Valid': False}}}, {'current': {'conditions': {'Valid': True}}}], 'references': {'spec.services[].name': 'Service'}, 'owns': []},
    },
}
