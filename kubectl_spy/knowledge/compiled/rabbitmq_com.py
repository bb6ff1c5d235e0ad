"""Made by `python -m tools.knowledge` from rabbitmq.com.yaml."""

DATA = {
    'group': 'rabbitmq.com',
    'docs': 'https://www.rabbitmq.com/kubernetes/operator/using-operator#status-conditions',
    'kinds': {
        '*': {'docs': 'https://www.rabbitmq.com/kubernetes/operator/using-topology-operator', 'health': [{'failed': {'conditions': {'Ready': False}}}], 'references': {'spec.rabbitmqClusterReference.name': {'kind': 'RabbitmqCluster.rabbitmq.com', 'namespace': 'spec.rabbitmqClusterReference.namespace'}}, 'owns': []},
        'RabbitmqCluster': {'health': [{'failed': {'conditions': {'ReconcileSuccess': False}}}, {'failed': {'conditions': {'ClusterAvailable': False}}, 'grace': 300}, {'waiting': {'conditions': {'AllReplicasReady': {'status': {'not': True}}}}}, {'waiting': {'conditions': {'ClusterAvailable': {'status': {'not': True}}}}}, {'current': {'conditions': {'ClusterAvailable': True}}}], 'conditions': {'good': ['ClusterAvailable', 'AllReplicasReady', 'ReconcileSuccess', 'NoWarnings'], 'warning': ['NoWarnings']}, 'owns': ['statefulsets.apps', 'services', 'secrets', 'configmaps']},
    },
}
