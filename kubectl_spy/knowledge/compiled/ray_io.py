"""Made by `python -m tools.knowledge` from ray.io.yaml."""

DATA = {
    'group': 'ray.io',
    'docs': 'https://docs.ray.io/en/latest/cluster/kubernetes/index.html',
    'kinds': {
        'RayCluster': {'health': [{'failed': {'status.state': ['failed', 'unhealthy']}}, {'paused': {'status.state': 'suspended'}}, {'paused': {'conditions': {'RayClusterSuspended': True}}}, {'failed': {'conditions': {'ReplicaFailure': True}}}, {'waiting': {'conditions': {'HeadPodReady': False}}}, {'waiting': {'conditions': {'RayClusterProvisioned': False}}}, {'current': {'status.state': 'ready'}}, {'current': {'conditions': {'RayClusterProvisioned': True}}}], 'conditions': {'good': ['RayClusterProvisioned'], 'bad': ['ReplicaFailure'], 'neutral': ['RayClusterSuspending', 'RayClusterSuspended']}, 'owns': ['pods', 'services']},
        'RayJob': {'health': [{'failed': {'status.jobDeploymentStatus': ['Failed', 'ValidationFailed']}, 'final': True}, {'failed': {'status.jobStatus': 'FAILED'}}, {'paused': {'status.jobDeploymentStatus': ['Suspending', 'Suspended']}}, {'ended': {'status.jobStatus': ['SUCCEEDED', 'STOPPED']}}, {'ended': {'status.jobDeploymentStatus': 'Complete'}}, {'waiting': {'status.jobDeploymentStatus': {'present': True}}}], 'owns': ['rayclusters.ray.io', 'jobs.batch']},
        'RayService': {'health': [{'failed': {'status.activeServiceStatus.applicationStatuses[].status': ['DEPLOY_FAILED', 'UNHEALTHY']}, 'says': 'an application is {status.activeServiceStatus.applicationStatuses[].status}: {status.activeServiceStatus.applicationStatuses[].message}'}, {'failed': {'status.pendingServiceStatus.applicationStatuses[].status': 'DEPLOY_FAILED'}, 'says': 'an application is DEPLOY_FAILED: {status.pendingServiceStatus.applicationStatuses[].message}'}, {'waiting': {'conditions': {'Ready': False}}}, {'current': {'conditions': {'Ready': True}}}, {'current': {'status.serviceStatus': 'Running'}}, {'waiting': {'status.serviceStatus': {'present': True}}}], 'conditions': {'neutral': ['UpgradeInProgress', 'RollbackInProgress']}, 'owns': ['rayclusters.ray.io', 'services']},
    },
}
