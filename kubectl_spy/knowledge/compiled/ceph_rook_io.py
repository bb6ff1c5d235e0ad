"""Made by `python -m tools.knowledge` from ceph.rook.io.yaml."""

DATA = {
    'group': 'ceph.rook.io',
    'docs': 'https://rook.io/docs/rook/latest/CRDs/specification/',
    'kinds': {
        '*': {'health': [{'failed': {'status.phase': ['Failure', 'ReconcileFailed', 'Failed', 'Error']}}, {'warned': {'status.mirroringStatus.summary.summary.health': ['WARNING', 'ERROR']}, 'says': 'its mirroring is in health {status.mirroringStatus.summary.summary.health}'}, {'current': {'status.phase': ['Ready', 'Connected', 'Created']}}, {'waiting': {'status.phase': {'present': True}}}], 'conditions': {'bad': ['Failure'], 'neutral': ['Progressing', 'Connecting', 'Connected', 'Deleting', 'DeletionIsBlocked']}},
        'CephCluster': {'health': [{'failed': {'status.phase': ['Failure', 'Error']}}, {'failed': {'status.state': 'Error'}}, {'failed': {'status.ceph.health': 'HEALTH_ERR'}, 'says': '{status.ceph.health}: {status.ceph.details[].message}', 'remedy': 'see https://rook.io/docs/rook/latest/Troubleshooting/ceph-common-issues/'}, {'waiting': {'status.phase': {'not': ['Ready', 'Connected']}}}, {'warned': {'status.ceph.health': 'HEALTH_WARN'}, 'says': '{status.ceph.health}: {status.ceph.details[].message}'}, {'current': {'status.phase': ['Ready', 'Connected']}}], 'conditions': {'bad': ['Failure'], 'neutral': ['Progressing', 'Connecting', 'Connected', 'Deleting', 'DeletionIsBlocked']}, 'owns': ['deployments.apps', 'jobs.batch', 'persistentvolumeclaims', 'services']},
    },
}
