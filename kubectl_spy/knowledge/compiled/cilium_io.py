"""Made by `python -m tools.knowledge` from cilium.io.yaml."""

DATA = {
    'group': 'cilium.io',
    'docs': 'https://docs.cilium.io/en/stable/network/kubernetes/policy/',
    'kinds': {
        'CiliumNetworkPolicy': {'health': [{'failed': {'conditions': {'Valid': False}}}, {'current': {'conditions': {'Valid': True}}}], 'owns': []},
        'CiliumClusterwideNetworkPolicy': {'health': [{'failed': {'conditions': {'Valid': False}}}, {'current': {'conditions': {'Valid': True}}}], 'owns': []},
        'CiliumEndpoint': {'docs': 'https://docs.cilium.io/en/stable/network/kubernetes/ciliumendpoint/', 'health': [{'failed': {'status.state': ['invalid', 'not-ready']}}, {'waiting': {'status.state': {'not': 'ready'}}}, {'current': {'status.state': 'ready'}}], 'owns': []},
        'CiliumLoadBalancerIPPool': {'docs': 'https://docs.cilium.io/en/stable/network/lb-ipam/', 'health': [{'failed': {'conditions': {'cilium.io/PoolConflict': True}}}, {'paused': {'spec.disabled': True}}, {'current': {'conditions': {'cilium.io/PoolConflict': False}}}], 'conditions': {'bad': ['cilium.io/PoolConflict'], 'neutral': ['cilium.io/IPsTotal', 'cilium.io/IPsAvailable', 'cilium.io/IPsUsed']}, 'owns': []},
        'CiliumBGPClusterConfig': {'docs': 'https://docs.cilium.io/en/stable/network/bgp-control-plane/bgp-control-plane-configuration/', 'health': [{'failed': {'conditions': {'cilium.io/NoMatchingNode': True}}}, {'failed': {'conditions': {'cilium.io/MissingPeerConfigs': True}}}, {'failed': {'conditions': {'cilium.io/ConflictingClusterConfig': True}}}, {'current': {'conditions': {'cilium.io/NoMatchingNode': False}}}], 'conditions': {'bad': ['cilium.io/NoMatchingNode', 'cilium.io/MissingPeerConfigs', 'cilium.io/ConflictingClusterConfig']}, 'references': {'spec.bgpInstances[].peers[].peerConfigRef.name': 'CiliumBGPPeerConfig.cilium.io'}, 'owns': ['ciliumbgpnodeconfigs.cilium.io']},
    },
}
