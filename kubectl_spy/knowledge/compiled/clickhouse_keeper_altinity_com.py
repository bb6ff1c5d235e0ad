"""Made by `python -m tools.knowledge` from clickhouse-keeper.altinity.com.yaml."""

DATA = {'group': 'clickhouse-keeper.altinity.com', 'docs': 'https://github.com/Altinity/clickhouse-operator/blob/master/docs/custom_resource_explained.md', 'kinds': {'ClickHouseKeeperInstallation': {'health': [{'failed': {'status.status': 'Aborted'}}, {'waiting': {'status.status': ['InProgress', 'Terminating']}}, {'current': {'status.status': 'Completed'}}]}}}
