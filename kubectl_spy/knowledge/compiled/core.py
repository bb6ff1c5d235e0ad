"""Made by `python -m tools.knowledge` from core.yaml."""

DATA = {
    'group': '',
    'docs': 'https://kubernetes.io/docs/reference/kubernetes-api/',
    'kinds': {
        'Pod': {'owns': ['persistentvolumeclaims', 'resourceclaims.resource.k8s.io']},
        'ReplicationController': {'owns': ['pods']},
        'Service': {'owns': ['endpointslices.discovery.k8s.io']},
        'Node': {'health': [{'failed': {'conditions': {'Ready': 'Unknown'}}}, {'current': {'conditions': {'Ready': True}, 'spec.unschedulable': True}, 'says': 'it is ready, and cordoned'}, {'current': {'conditions': {'Ready': True}}, 'says': 'it is ready'}, {'waiting': {'conditions': {'Ready': False}}}, {'waiting': {}, 'says': 'it is not Ready yet'}], 'owns': ['pods', 'leases.coordination.k8s.io', 'csinodes.storage.k8s.io', 'resourceslices.resource.k8s.io']},
        'Namespace': {'health': [{'current': {'status.phase': 'Active'}, 'says': 'it is Active'}, {'waiting': {'status.phase': 'Terminating'}, 'says': 'it is being deleted'}, {'waiting': {}, 'says': 'it is not Active yet'}]},
        'PersistentVolume': {'health': [{'failed': {'status.phase': 'Failed'}}, {'current': {'status.phase': ['Available', 'Bound', 'Released']}, 'says': 'it is {status.phase}'}, {'waiting': {}, 'says': 'it is not available yet'}]},
        'PersistentVolumeClaim': {'health': [{'failed': {'status.phase': 'Lost'}, 'says': 'its volume is lost', 'final': True}, {'current': {'status.phase': 'Bound'}, 'says': 'it is bound to {spec.volumeName}'}, {'waiting': {'status.phase': {'present': True}}, 'says': 'it is {status.phase}'}, {'waiting': {}, 'says': 'it has no phase yet'}]},
    },
}
