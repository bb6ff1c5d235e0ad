"""Made by `python -m tools.knowledge` from operator.openshift.io.yaml."""

DATA = {
    'group': 'operator.openshift.io',
    'docs': 'https://docs.openshift.com/container-platform/latest/rest_api/operator_apis/operator-apis-index.html',
    'kinds': {
        'ImageContentSourcePolicy': {'health': [{'there': {}}], 'references': {}, 'owns': []},
        '*': {'health': [{'paused': {'spec.managementState': ['Unmanaged', 'Removed']}, 'says': 'it is {spec.managementState}'}, {'failed': {'conditions': {'Available': False}}}, {'failed': {'conditions': {'Degraded': True}}}, {'waiting': {'conditions': {'Progressing': True}}}, {'current': {'conditions': {'Available': True}}}], 'conditions': {'neutral': ['Progressing', 'Upgradeable']}, 'references': {}},
    },
}
