"""Made by `python -m tools.knowledge` from config.openshift.io.yaml."""

DATA = {
    'group': 'config.openshift.io',
    'docs': 'https://docs.openshift.com/container-platform/latest/rest_api/config_apis/config-apis-index.html',
    'kinds': {
        'ClusterOperator': {'health': [{'failed': {'conditions': {'Available': False}}}, {'failed': {'conditions': {'Degraded': True}}}, {'waiting': {'conditions': {'Progressing': True}}}, {'current': {'conditions': {'Available': True}}}], 'conditions': {'good': ['Available'], 'bad': ['Degraded'], 'neutral': ['Progressing', 'Upgradeable', 'Disabled', 'RecentBackup', 'EvaluationConditionsDetected']}, 'references': {}, 'owns': []},
        'ClusterVersion': {'health': [{'failed': {'conditions': {'Failing': True}}}, {'failed': {'conditions': {'Available': False, 'Progressing': False}}}, {'failed': {'conditions': {'Invalid': True}}}, {'waiting': {'conditions': {'Progressing': True}}}, {'current': {'conditions': {'Available': True}}}], 'conditions': {'good': ['Available', 'RetrievedUpdates', 'ReleaseAccepted'], 'bad': ['Failing', 'Invalid'], 'warning': ['RetrievedUpdates', 'ReleaseAccepted'], 'neutral': ['Progressing', 'Upgradeable', 'ImplicitlyEnabledCapabilities']}, 'references': {}, 'owns': []},
    },
}
