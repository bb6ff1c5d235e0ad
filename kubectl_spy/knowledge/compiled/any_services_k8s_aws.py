"""Made by `python -m tools.knowledge` from any.services.k8s.aws.yaml."""

DATA = {
    'group': '*.services.k8s.aws',
    'docs': 'https://aws-controllers-k8s.github.io/community/docs/user-docs/resource-crud/',
    'kinds': {
        '*': {'health': [{'failed': {'conditions': {'ACK.Terminal': True}}, 'final': True}, {'failed': {'conditions': {'ACK.Recoverable': True}}, 'grace': 60}, {'failed': {'conditions': {'ACK.ReferencesResolved': False}}, 'grace': 60}, {'waiting': {'conditions': {'ACK.ReferencesResolved': 'Unknown'}}}, {'waiting': {'conditions': {'ACK.ResourceSynced': {'status': {'not': True}}}}}, {'current': {'conditions': {'ACK.ResourceSynced': True}}}], 'conditions': {'good': ['ACK.ResourceSynced', 'ACK.ReferencesResolved', 'ACK.LateInitialized'], 'bad': ['ACK.Terminal', 'ACK.Recoverable', 'ACK.Advisory', 'ACK.CrossNamespaceOptInRequired'], 'warning': ['ACK.Recoverable', 'ACK.Advisory', 'ACK.CrossNamespaceOptInRequired'], 'neutral': ['ACK.Adopted', 'ACK.IAMRoleSelected']}, 'owns': []},
    },
}
