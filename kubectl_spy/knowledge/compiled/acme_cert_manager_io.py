"""Made by `python -m tools.knowledge` from acme.cert-manager.io.yaml."""

DATA = {
    'group': 'acme.cert-manager.io',
    'docs': 'https://cert-manager.io/docs/concepts/acme-orders-challenges/',
    'kinds': {
        'Order': {'health': [{'failed': {'status.state': ['invalid', 'expired', 'errored']}, 'final': True, 'says': 'its state is {status.state}: {status.reason}', 'remedy': 'kubectl get challenges -n {metadata.namespace}'}, {'ended': {'status.state': 'valid'}}, {'waiting': {'status.state': ['pending', 'ready', 'processing']}, 'says': 'its state is {status.state}: {status.reason}'}], 'references': {'spec.issuerRef': 'ref'}, 'owns': ['challenges.acme.cert-manager.io', 'pods', 'services', 'ingresses.networking.k8s.io', 'httproutes.gateway.networking.k8s.io']},
        'Challenge': {'health': [{'failed': {'status.state': ['invalid', 'expired', 'errored']}, 'final': True, 'says': 'its state is {status.state}: {status.reason}'}, {'ended': {'status.state': 'valid'}}, {'waiting': {'status.state': ['pending', 'ready', 'processing']}, 'says': 'its state is {status.state}: {status.reason}'}, {'waiting': {}, 'says': '{status.reason}'}], 'references': {'spec.issuerRef': 'ref'}, 'owns': ['pods', 'services', 'ingresses.networking.k8s.io', 'httproutes.gateway.networking.k8s.io']},
    },
}
