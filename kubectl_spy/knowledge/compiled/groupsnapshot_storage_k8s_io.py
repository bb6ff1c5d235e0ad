"""Made by `python -m tools.knowledge` from groupsnapshot.storage.k8s.io.yaml."""

DATA = {
    'group': 'groupsnapshot.storage.k8s.io',
    'docs': 'https://kubernetes.io/docs/concepts/storage/volume-snapshots/',
    'kinds': {
        'VolumeGroupSnapshot': {'health': [{'current': {'status.readyToUse': True}}, {'failed': {'status.error.message': {'present': True}}, 'says': '{status.error.message}'}, {'waiting': {'status.readyToUse': False}, 'says': 'it is not ready to use yet'}, {'waiting': {'spec': {'present': True}}, 'says': 'its snapshot has not been made yet'}], 'references': {'spec.source.volumeGroupSnapshotContentName': 'VolumeGroupSnapshotContent.groupsnapshot.storage.k8s.io', 'status.boundVolumeGroupSnapshotContentName': 'VolumeGroupSnapshotContent.groupsnapshot.storage.k8s.io', 'spec.volumeGroupSnapshotClassName': 'VolumeGroupSnapshotClass.groupsnapshot.storage.k8s.io'}, 'owns': []},
        'VolumeGroupSnapshotContent': {'health': [{'current': {'status.readyToUse': True}}, {'failed': {'status.error.message': {'present': True}}, 'says': '{status.error.message}'}, {'waiting': {'status.readyToUse': False}, 'says': 'it is not ready to use yet'}, {'waiting': {'spec': {'present': True}}, 'says': 'its snapshot has not been made yet'}], 'references': {'spec.volumeGroupSnapshotClassName': 'VolumeGroupSnapshotClass.groupsnapshot.storage.k8s.io', 'spec.volumeGroupSnapshotRef.name': {'kind': 'VolumeGroupSnapshot.groupsnapshot.storage.k8s.io', 'namespace': 'spec.volumeGroupSnapshotRef.namespace', 'waits': False}}, 'owns': []},
    },
}
