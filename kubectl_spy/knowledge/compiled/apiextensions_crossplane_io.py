"""Made by `python -m tools.knowledge` from apiextensions.crossplane.io.yaml."""

DATA = {
    'group': 'apiextensions.crossplane.io',
    'docs': 'https://docs.crossplane.io/latest/composition/',
    'kinds': {
        'CompositeResourceDefinition': {'docs': 'https://docs.crossplane.io/latest/composition/composite-resource-definitions/', 'health': [{'paused': {'conditions': {'Synced': {'status': False, 'reason': 'ReconcilePaused'}}}}, {'current': {'conditions': {'Established': True}}}], 'conditions': {'good': ['Established', 'Offered']}, 'references': {'spec.defaultCompositionRef.name': {'kind': 'Composition.apiextensions.crossplane.io', 'waits': False}, 'spec.enforcedCompositionRef.name': {'kind': 'Composition.apiextensions.crossplane.io', 'waits': False}}, 'owns': ['customresourcedefinitions.apiextensions.k8s.io', 'clusterroles.rbac.authorization.k8s.io']},
        'Composition': {'docs': 'https://docs.crossplane.io/latest/composition/compositions/', 'health': [{'there': {}}], 'references': {'spec.pipeline[].functionRef.name': 'Function.pkg.crossplane.io'}, 'owns': ['compositionrevisions.apiextensions.crossplane.io']},
        'CompositionRevision': {'docs': 'https://docs.crossplane.io/latest/composition/composition-revisions/', 'health': [{'failed': {'conditions': {'ValidPipeline': False}}}, {'there': {}}], 'conditions': {'good': ['ValidPipeline']}, 'references': {'spec.pipeline[].functionRef.name': 'Function.pkg.crossplane.io'}, 'owns': []},
        'EnvironmentConfig': {'docs': 'https://docs.crossplane.io/latest/composition/environment-configs/', 'health': [{'there': {}}], 'references': {}, 'owns': []},
    },
}
