"""Made by `python -m tools.knowledge` from certificates.k8s.io.yaml."""

DATA = {
    'group': 'certificates.k8s.io',
    'docs': 'https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/',
    'kinds': {
        'CertificateSigningRequest': {'health': [{'failed': {'conditions': {'Denied': True}}, 'final': True}, {'failed': {'conditions': {'Failed': True}}, 'final': True}, {'current': {'status.certificate': {'present': True}}, 'says': 'its certificate is issued'}, {'waiting': {'conditions': {'Approved': True}}, 'says': 'it is approved, and its certificate is not issued yet'}, {'waiting': {}, 'says': 'nobody has approved it yet'}]},
    },
}
