"""Made by `python -m tools.knowledge` from image.toolkit.fluxcd.io.yaml."""

DATA = {
    'group': 'image.toolkit.fluxcd.io',
    'docs': 'https://fluxcd.io/flux/components/image/',
    'kinds': {
        'ImageRepository': {'docs': 'https://fluxcd.io/flux/components/image/imagerepositories/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}], 'references': {'spec.secretRef.name': 'Secret', 'spec.certSecretRef.name': 'Secret', 'spec.proxySecretRef.name': 'Secret', 'spec.serviceAccountName': 'ServiceAccount'}, 'owns': []},
        'ImagePolicy': {'docs': 'https://fluxcd.io/flux/components/image/imagepolicies/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}], 'references': {'spec.imageRepositoryRef.name': {'kind': 'ImageRepository.image.toolkit.fluxcd.io', 'namespace': 'spec.imageRepositoryRef.namespace'}}, 'owns': []},
        'ImageUpdateAutomation': {'docs': 'https://fluxcd.io/flux/components/image/imageupdateautomations/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}], 'references': {'spec.sourceRef': {'kind': 'ref', 'group': 'source.toolkit.fluxcd.io', 'namespace': 'spec.sourceRef.namespace'}, 'spec.git.commit.signingKey.secretRef.name': 'Secret'}, 'owns': []},
    },
}
