"""Made by `python -m tools.knowledge` from k8s.mariadb.com.yaml."""

DATA = {
    'group': 'k8s.mariadb.com',
    'docs': 'https://mariadb.com/docs/tools/mariadb-enterprise-operator/api-reference',
    'kinds': {
        '*': {'health': [{'failed': {'conditions': {'Complete': {'status': False, 'reason': 'JobFailed'}}}}, {'failed': {'conditions': {'Ready': {'status': False, 'reason': 'Failed'}}}}, {'paused': {'conditions': {'Ready': {'status': False, 'reason': 'Suspended'}}}}, {'paused': {'spec.suspend': True}}], 'references': {'spec.mariaDbRef.name': 'MariaDB.k8s.mariadb.com', 'spec.rootPasswordSecretKeyRef.name': 'Secret', 'spec.passwordSecretKeyRef.name': 'Secret'}},
    },
}
