"""Made by `python -m tools.knowledge` from karpenter.k8s.aws.yaml."""

DATA = {'group': 'karpenter.k8s.aws', 'docs': 'https://karpenter.sh/docs/concepts/nodeclasses/', 'kinds': {'*': {'health': [{'failed': {'conditions': {'Ready': False}}}, {'waiting': {'conditions': {'Ready': 'Unknown'}}}], 'owns': []}}}
