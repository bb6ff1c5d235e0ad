"""Made by `python -m tools.knowledge` from minio.min.io.yaml."""

DATA = {
    'group': 'minio.min.io',
    'docs': 'https://min.io/docs/minio/kubernetes/upstream/reference/operator-crd.html',
    'kinds': {
        'Tenant': {'health': [{'failed': {'status.currentState': ['Statefulset not controlled by operator', 'Another MinIO Tenant already exists in the namespace', 'Tenant credentials are not set properly', 'Different versions across MinIO Pools', 'Different versions across MinIO Zones', 'Pool Decommissioning Not Allowed']}, 'says': '{status.currentState}'}, {'failed': {'status.healthStatus': 'red'}, 'says': 'its health is red: {status.healthMessage}'}, {'waiting': {'status.currentState': {'not': ['Initialized', 'Ready']}}}, {'warned': {'status.healthStatus': 'yellow'}, 'says': 'its health is yellow: {status.healthMessage}'}, {'current': {'status.currentState': ['Initialized', 'Ready']}}], 'references': {'spec.configuration.name': 'Secret', 'spec.credsSecret.name': 'Secret', 'spec.users[].name': 'Secret', 'spec.externalCertSecret[].name': 'Secret'}, 'owns': ['statefulsets.apps', 'services', 'secrets']},
    },
}
