"""Made by `python -m tools.knowledge` from karpenter.sh.yaml."""

DATA = {
    'group': 'karpenter.sh',
    'docs': 'https://karpenter.sh/docs/concepts/',
    'kinds': {
        'NodePool': {'docs': 'https://karpenter.sh/docs/concepts/nodepools/', 'health': [{'failed': {'conditions': {'ValidationSucceeded': False}}}, {'failed': {'conditions': {'NodeClassReady': False}}}, {'failed': {'conditions': {'NodeRegistrationHealthy': False}}}, {'failed': {'conditions': {'Ready': False}}}], 'conditions': {'good': ['NodeRegistrationHealthy'], 'bad': ['ConsolidationPolicyUnsupported'], 'warning': ['ConsolidationPolicyUnsupported']}, 'references': {'spec.template.spec.nodeClassRef': 'ref'}, 'owns': ['nodeclaims.karpenter.sh']},
        'NodeOverlay': {'health': [{'failed': {'conditions': {'ValidationSucceeded': False}}}], 'owns': []},
        'NodeClaim': {'docs': 'https://karpenter.sh/docs/concepts/nodeclaims/', 'health': [{'failed': {'conditions': {'Launched': False}}}, {'failed': {'conditions': {'Launched': {'status': 'Unknown', 'reason': {'ends': 'Failed'}}}}, 'grace': 60}, {'failed': {'conditions': {'Registered': {'status': False, 'reason': 'UnregisteredTaintNotFound'}}}}, {'waiting': {'conditions': {'Launched': {'status': {'not': True}}}}}, {'waiting': {'conditions': {'Registered': {'status': {'not': True}}}}}, {'waiting': {'conditions': {'Initialized': {'status': {'not': True}}}}}, {'current': {'conditions': {'Initialized': True}}}], 'conditions': {'good': ['ConsistentStateFound'], 'warning': ['ConsistentStateFound'], 'neutral': ['Drifted', 'Empty', 'Expired', 'Consolidatable', 'DisruptionReason', 'InstanceTerminating', 'Drained', 'VolumesDetached']}, 'references': {'spec.nodeClassRef': 'ref', 'status.nodeName': 'Node'}, 'owns': ['nodes']},
    },
}
