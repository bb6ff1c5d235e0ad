"""Made by `python -m tools.knowledge` from any.crossplane.io.yaml."""

DATA = {
    'group': '*.crossplane.io',
    'docs': 'https://docs.crossplane.io/latest/managed-resources/managed-resources/',
    'kinds': {
        '*': {'health': [{'paused': {'conditions': {'Synced': {'status': False, 'reason': 'ReconcilePaused'}}}}, {'paused': {'metadata.annotations[crossplane.io/paused]': 'true'}, 'says': 'it has the annotation crossplane.io/paused'}, {'failed': {'conditions': {'Synced': {'status': False, 'reason': 'ReconcileError'}, 'Ready': {'status': {'not': True}}}}, 'grace': 60}, {'failed': {'conditions': {'Synced': {'status': False, 'reason': 'ReconcileError'}, 'Ready': {'status': {'present': False}}}}, 'grace': 60}, {'failed': {'conditions': {'LastAsyncOperation': False, 'Ready': {'status': {'not': True}}}}}, {'failed': {'conditions': {'Ready': {'status': False, 'reason': 'Unavailable'}}}, 'grace': 300}], 'conditions': {'good': ['LastAsyncOperation', 'Healthy']}, 'makes': {'spec.writeConnectionSecretToRef.name': {'kind': 'Secret', 'namespace': 'spec.writeConnectionSecretToRef.namespace'}}},
        'ProviderConfig': {'docs': 'https://docs.crossplane.io/latest/packages/providers/#provider-configuration', 'health': [{'there': {'status.conditions': {'present': False}}}], 'references': {'spec.credentials.secretRef.name': {'kind': 'Secret', 'namespace': 'spec.credentials.secretRef.namespace'}}, 'owns': []},
        'ClusterProviderConfig': {'docs': 'https://docs.crossplane.io/latest/packages/providers/#provider-configuration', 'health': [{'there': {'status.conditions': {'present': False}}}], 'references': {'spec.credentials.secretRef.name': {'kind': 'Secret', 'namespace': 'spec.credentials.secretRef.namespace'}}, 'owns': []},
        'ProviderConfigUsage': {'health': [{'there': {}}], 'references': {'resourceRef': 'ref'}, 'owns': []},
        'ClusterProviderConfigUsage': {'health': [{'there': {}}], 'references': {'resourceRef': 'ref'}, 'owns': []},
    },
}
