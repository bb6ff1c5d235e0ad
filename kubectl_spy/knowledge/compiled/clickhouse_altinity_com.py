"""Made by `python -m tools.knowledge` from clickhouse.altinity.com.yaml."""

DATA = {'group': 'clickhouse.altinity.com', 'docs': 'https://github.com/Altinity/clickhouse-operator/blob/master/docs/custom_resource_explained.md', 'kinds': {'*': {'health': [{'failed': {'status.status': 'Aborted'}}, {'paused': {'spec.stop': ['yes', '1', 'true']}}, {'waiting': {'status.status': ['InProgress', 'Terminating']}}, {'current': {'status.status': 'Completed'}}]}}}
