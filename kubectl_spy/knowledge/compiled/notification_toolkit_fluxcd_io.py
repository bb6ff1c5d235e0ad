"""Made by `python -m tools.knowledge` from notification.toolkit.fluxcd.io.yaml."""

DATA = {
    'group': 'notification.toolkit.fluxcd.io',
    'docs': 'https://fluxcd.io/flux/components/notification/',
    'kinds': {
        'Alert': {'docs': 'https://fluxcd.io/flux/components/notification/alerts/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}, {'there': {'status.conditions': {'present': False}}}], 'references': {'spec.providerRef.name': 'Provider.notification.toolkit.fluxcd.io'}, 'owns': []},
        'Provider': {'docs': 'https://fluxcd.io/flux/components/notification/providers/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}, {'there': {'status.conditions': {'present': False}}}], 'references': {'spec.secretRef.name': 'Secret', 'spec.certSecretRef.name': 'Secret', 'spec.proxySecretRef.name': 'Secret'}, 'owns': []},
        'Receiver': {'docs': 'https://fluxcd.io/flux/components/notification/receivers/', 'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}], 'references': {'spec.secretRef.name': 'Secret'}, 'owns': []},
    },
}
