"""Made by `python -m tools.knowledge` from storage.k8s.io.yaml."""

DATA = {
    'group': 'storage.k8s.io',
    'docs': 'https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/',
    'kinds': {
        'VolumeAttachment': {'health': [{'failed': {'status.attachError': {'present': True}}, 'says': 'attachError: {status.attachError.message}', 'remedy': 'kubectl get csinode {spec.nodeName} -o yaml'}, {'failed': {'status.detachError': {'present': True}}, 'says': 'detachError: {status.detachError.message}'}, {'current': {'status.attached': True}, 'says': 'it is attached'}, {'waiting': {}, 'says': 'it is not attached yet'}], 'references': {'spec.source.persistentVolumeName': 'PersistentVolume', 'spec.nodeName': 'Node'}},
    },
}
