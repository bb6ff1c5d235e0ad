"""Made by `python -m tools.knowledge` from apiregistration.k8s.io.yaml."""

DATA = {'group': 'apiregistration.k8s.io', 'docs': 'https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/', 'kinds': {'APIService': {'health': [{'failed': {'conditions': {'Available': False}}, 'grace': 60, 'remedy': 'kubectl get endpointslices -n {spec.service.namespace} -l kubernetes.io/service-name={spec.service.name}'}, {'current': {'conditions': {'Available': True}}}], 'references': {'spec.service.name': {'kind': 'Service', 'namespace': 'spec.service.namespace'}}}}}
