"""Made by `python -m tools.knowledge` from operator.tekton.dev.yaml."""

DATA = {'group': 'operator.tekton.dev', 'docs': 'https://tekton.dev/docs/operator/', 'kinds': {'*': {'health': [{'failed': {'conditions': {'Ready': {'status': False, 'reason': 'Error'}}}, 'grace': 300}, {'failed': {'conditions': {'Ready': False}}, 'grace': 300}]}}}
