"""Made by `python -m tools.knowledge` from kustomize.toolkit.fluxcd.io.yaml."""

DATA = {
    'group': 'kustomize.toolkit.fluxcd.io',
    'docs': 'https://fluxcd.io/flux/components/kustomize/kustomizations/',
    'kinds': {
        'Kustomization': {'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended', 'remedy': 'flux resume kustomization {metadata.name} -n {metadata.namespace}'}], 'conditions': {'good': ['Ready', 'Healthy']}, 'references': {'spec.sourceRef': {'kind': 'ref', 'group': 'source.toolkit.fluxcd.io', 'namespace': 'spec.sourceRef.namespace'}, 'spec.dependsOn[].name': {'kind': 'Kustomization.kustomize.toolkit.fluxcd.io', 'namespace': 'spec.dependsOn[].namespace'}, 'spec.healthChecks[]': {'kind': 'ref', 'namespace': 'spec.healthChecks[].namespace'}, 'spec.postBuild.substituteFrom[]': 'ref', 'spec.decryption.secretRef.name': 'Secret', 'spec.kubeConfig.secretRef.name': 'Secret', 'spec.serviceAccountName': 'ServiceAccount'}},
    },
}
