"""Made by `python -m tools.knowledge` from apps.openshift.io.yaml."""

DATA = {
    'group': 'apps.openshift.io',
    'docs': 'https://docs.openshift.com/container-platform/latest/applications/deployments/what-deployments-are.html',
    'kinds': {
        'DeploymentConfig': {'health': [{'failed': {'conditions': {'Progressing': False}}}, {'failed': {'conditions': {'ReplicaFailure': True}}}, {'paused': {'spec.paused': True}, 'says': 'it is paused'}, {'waiting': {'status.updatedReplicas': {'below': 'spec.replicas'}}, 'says': '{status.updatedReplicas|0} of {spec.replicas} replicas are updated'}, {'waiting': {'status.availableReplicas': {'below': 'spec.replicas'}}, 'says': '{status.availableReplicas|0} of {spec.replicas} replicas are available'}, {'current': {'conditions': {'Available': True}}}], 'references': {'spec.triggers[].imageChangeParams.from': {'kind': 'ref', 'group': 'image.openshift.io', 'namespace': 'spec.triggers[].imageChangeParams.from.namespace', 'waits': False}}, 'owns': ['replicationcontrollers', 'pods']},
    },
}
