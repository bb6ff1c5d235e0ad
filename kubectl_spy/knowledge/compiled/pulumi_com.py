"""Made by `python -m tools.knowledge` from pulumi.com.yaml."""

DATA = {
    'group': 'pulumi.com',
    'docs': 'https://www.pulumi.com/docs/iac/using-pulumi/continuous-delivery/pulumi-kubernetes-operator/',
    'kinds': {
        'Stack': {'health': [{'failed': {'status.lastUpdate.state': 'failed', 'conditions': {'Ready': {'status': {'present': False}}}}, 'says': 'its last update failed: {status.lastUpdate.message}'}, {'failed': {'status.lastUpdate.state': 'failed', 'conditions': {'Ready': {'status': {'not': True}}}}, 'says': 'its last update failed: {status.lastUpdate.message}'}, {'current': {'status.lastUpdate.state': 'succeeded', 'conditions': {'Ready': {'status': {'present': False}}}}}], 'references': {'spec.envRefs[].secret.name': 'Secret', 'spec.envSecrets[]': 'Secret', 'spec.envs[]': 'ConfigMap', 'spec.fluxSource.sourceRef': 'ref', 'spec.programRef.name': 'Program.pulumi.com', 'spec.prerequisites[].name': 'Stack.pulumi.com'}},
        'Program': {'health': [{'there': {'status.conditions': {'present': False}}}], 'references': {}, 'owns': []},
    },
}
