"""Made by `python -m tools.knowledge` from helm.toolkit.fluxcd.io.yaml."""

DATA = {
    'group': 'helm.toolkit.fluxcd.io',
    'docs': 'https://fluxcd.io/flux/components/helm/helmreleases/',
    'kinds': {
        'HelmRelease': {'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended', 'remedy': 'flux resume helmrelease {metadata.name} -n {metadata.namespace}'}, {'failed': {'conditions': {'Ready': {'status': False, 'message': {'ends': 'retries exhausted'}}}}, 'final': True, 'remedy': 'flux reconcile helmrelease {metadata.name} -n {metadata.namespace} --reset'}, {'failed': {'conditions': {'Ready': {'status': False, 'reason': ['RollbackSucceeded', 'UninstallSucceeded']}}}}], 'conditions': {'good': ['Released', 'TestSuccess'], 'neutral': ['Remediated']}, 'references': {'spec.chart.spec.sourceRef': {'kind': 'ref', 'group': 'source.toolkit.fluxcd.io', 'namespace': 'spec.chart.spec.sourceRef.namespace'}, 'spec.chartRef': {'kind': 'ref', 'group': 'source.toolkit.fluxcd.io', 'namespace': 'spec.chartRef.namespace'}, 'spec.dependsOn[].name': {'kind': 'HelmRelease.helm.toolkit.fluxcd.io', 'namespace': 'spec.dependsOn[].namespace'}, 'spec.valuesFrom[]': 'ref', 'spec.kubeConfig.secretRef.name': 'Secret', 'spec.serviceAccountName': 'ServiceAccount'}},
    },
}
