"""Made by `python -m tools.knowledge` from acid.zalan.do.yaml."""

DATA = {'group': 'acid.zalan.do', 'docs': 'https://postgres-operator.readthedocs.io/en/latest/reference/cluster_manifest/', 'kinds': {'postgresql': {'health': [{'failed': {'status.PostgresClusterStatus': ['CreateFailed', 'UpdateFailed', 'SyncFailed', 'Invalid']}, 'remedy': 'kubectl get events -n {metadata.namespace} --field-selector involvedObject.name={metadata.name}'}, {'waiting': {'status.PostgresClusterStatus': ['Creating', 'Updating']}}, {'current': {'status.PostgresClusterStatus': 'Running'}}]}}}
