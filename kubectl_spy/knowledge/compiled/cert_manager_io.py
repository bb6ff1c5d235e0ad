"""Made by `python -m tools.knowledge` from cert-manager.io.yaml."""

DATA = {
    'group': 'cert-manager.io',
    'docs': 'https://cert-manager.io/docs/reference/api-docs/',
    'kinds': {
        'Certificate': {'health': [{'failed': {'conditions': {'Issuing': {'status': False, 'reason': 'Failed'}, 'Ready': False}}, 'remedy': 'kubectl describe certificaterequests -n {metadata.namespace}'}], 'references': {'spec.issuerRef': 'ref'}, 'makes': {'spec.secretName': 'Secret'}, 'owns': ['certificaterequests.cert-manager.io']},
    },
}
