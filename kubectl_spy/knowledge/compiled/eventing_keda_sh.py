"""Made by `python -m tools.knowledge` from eventing.keda.sh.yaml."""

DATA = {'group': 'eventing.keda.sh', 'docs': 'https://keda.sh/docs/latest/concepts/cloudevents/', 'kinds': {'*': {'health': [{'failed': {'conditions': {'Active': False}}}, {'current': {'conditions': {'Active': True}}}]}}}
