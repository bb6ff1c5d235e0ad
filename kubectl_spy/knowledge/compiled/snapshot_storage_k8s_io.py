"""Made by `python -m tools.knowledge` from snapshot.storage.k8s.io.yaml."""

DATA = {
    'group': 'snapshot.storage.k8s.io',
    'docs': 'https://kubernetes.io/docs/concepts/storage/volume-snapshots/',
    'kinds': {
        'VolumeSnapshot': {'health': [{'current': {'status.readyToUse': True}}, {'failed': {'status.error.message': {'present': True}}, 'says': '{status.error.message}'}, {'waiting': {'status.readyToUse': False}, 'says': 'it is not ready to use yet'}, {'waiting': {'spec': {'present': True}}, 'says': 'its snapshot has not been made yet'}], 'references': {'spec.source.persistentVolumeClaimName': 'PersistentVolumeClaim', 'spec.source.volumeSnapshotContentName': 'VolumeSnapshotContent.snapshot.storage.k8s.io', 'status.boundVolumeSnapshotContentName': 'VolumeSnapshotContent.snapshot.storage.k8s.io', 'spec.volumeSnapshotClassName': 'VolumeSnapshotClass.snapshot.storage.k8s.io'}, 'owns': []},
        'VolumeSnapshotContent': {'health': [{'current': {'status.readyToUse': True}}, {'failed': {'status.error.message': {'present': True}}, 'says': '{status.error.message}'}, {'waiting': {'status.readyToUse': False}, 'says': 'it is not ready to use yet'}, {'waiting': {'spec': {'present': True}}, 'says': 'its snapshot has not been made yet'}], 'references': {'spec.volumeSnapshotClassName': 'VolumeSnapshotClass.snapshot.storage.k8s.io', 'spec.volumeSnapshotRef.name': {'kind': 'VolumeSnapshot.snapshot.storage.k8s.io', 'namespace': 'spec.volumeSnapshotRef.namespace', 'waits': False}}, 'owns': []},
    },
}
