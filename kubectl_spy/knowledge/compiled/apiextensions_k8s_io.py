"""Made by `python -m tools.knowledge` from apiextensions.k8s.io.yaml."""

DATA = {
    'group': 'apiextensions.k8s.io',
    'docs': 'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/',
    'kinds': {
        'CustomResourceDefinition': {'health': [{'failed': {'conditions': {'NamesAccepted': False}}}, {'current': {'conditions': {'Established': True}}, 'says': 'it is established'}, {'failed': {'conditions': {'Established': {'status': False, 'reason': {'not': 'Installing'}}}}}, {'waiting': {'conditions': {'Established': {'status': {'present': True}}}}}, {'waiting': {}, 'says': 'it is not Established yet'}], 'conditions': {'bad': ['NonStructuralSchema']}, 'references': {'spec.conversion.webhook.clientConfig.service.name': {'kind': 'Service', 'namespace': 'spec.conversion.webhook.clientConfig.service.namespace'}}},
    },
}
