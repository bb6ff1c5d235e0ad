"""Made by `python -m tools.knowledge` from objectbucket.io.yaml."""

DATA = {
    'group': 'objectbucket.io',
    'docs': 'https://rook.io/docs/rook/latest/Storage-Configuration/Object-Storage-RGW/ceph-object-bucket-claim/',
    'kinds': {
        'ObjectBucketClaim': {'health': [{'failed': {'status.phase': 'Failed'}}, {'waiting': {'status.phase': ['Pending', 'Released', '']}}, {'current': {'status.phase': 'Bound'}}], 'references': {'spec.storageClassName': 'StorageClass.storage.k8s.io', 'spec.objectBucketName': 'ObjectBucket.objectbucket.io'}, 'makes': {'metadata.name': 'Secret'}, 'owns': ['configmaps', 'secrets']},
        'ObjectBucket': {'health': [{'failed': {'status.phase': 'Failed'}}, {'waiting': {'status.phase': ['Pending', 'Released', '']}}, {'current': {'status.phase': 'Bound'}}], 'references': {'spec.storageClassName': 'StorageClass.storage.k8s.io'}, 'owns': []},
    },
}
