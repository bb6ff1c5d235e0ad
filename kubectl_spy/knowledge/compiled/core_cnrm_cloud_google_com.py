"""Made by `python -m tools.knowledge` from core.cnrm.cloud.google.com.yaml."""

DATA = {'group': 'core.cnrm.cloud.google.com', 'docs': 'https://cloud.google.com/config-connector/docs/how-to/install-manually', 'kinds': {'ConfigConnector': {'health': [{'failed': {'status.healthy': False}, 'says': 'it is not healthy: {status.errors[]}'}, {'current': {'status.healthy': True}}], 'references': {}}, 'ConfigConnectorContext': {'health': [{'failed': {'status.healthy': False}, 'says': 'it is not healthy: {status.errors[]}'}, {'current': {'status.healthy': True}}], 'references': {}}}}
