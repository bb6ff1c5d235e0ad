"""Made by `python -m tools.knowledge` from admissionregistration.k8s.io.yaml."""

DATA = {'group': 'admissionregistration.k8s.io', 'docs': 'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/', 'kinds': {'ValidatingWebhookConfiguration': {'references': {'webhooks[].clientConfig.service.name': {'kind': 'Service', 'namespace': 'webhooks[].clientConfig.service.namespace'}}}, 'MutatingWebhookConfiguration': {'references': {'webhooks[].clientConfig.service.name': {'kind': 'Service', 'namespace': 'webhooks[].clientConfig.service.namespace'}}}}}
