"""Made by `python -m tools.knowledge` from operator.victoriametrics.com.yaml."""

DATA = {'group': 'operator.victoriametrics.com', 'docs': 'https://docs.victoriametrics.com/operator/resources/', 'kinds': {'*': {'health': [{'failed': {'status.updateStatus': 'failed'}}, {'paused': {'status.updateStatus': 'paused'}}, {'waiting': {'status.updateStatus': 'expanding'}}, {'current': {'status.updateStatus': 'operational'}}]}}}
