"""Made by `python -m tools.knowledge` from resolution.tekton.dev.yaml."""

DATA = {'group': 'resolution.tekton.dev', 'docs': 'https://tekton.dev/docs/pipelines/resolution/', 'kinds': {'ResolutionRequest': {'health': [{'failed': {'conditions': {'Succeeded': False}}, 'final': True}, {'waiting': {'conditions': {'Succeeded': 'Unknown'}}}], 'owns': []}}}
