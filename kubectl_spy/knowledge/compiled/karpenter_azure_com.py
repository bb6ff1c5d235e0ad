"""Made by `python -m tools.knowledge` from karpenter.azure.com.yaml."""

DATA = {'group': 'karpenter.azure.com', 'docs': 'https://github.com/Azure/karpenter-provider-azure', 'kinds': {'*': {'health': [{'failed': {'conditions': {'Ready': False}}}, {'waiting': {'conditions': {'Ready': 'Unknown'}}}], 'owns': []}}}
