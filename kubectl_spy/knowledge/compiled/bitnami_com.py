"""Made by `python -m tools.knowledge` from bitnami.com.yaml."""

DATA = {'group': 'bitnami.com', 'docs': 'https://github.com/bitnami-labs/sealed-secrets', 'kinds': {'SealedSecret': {'health': [{'failed': {'conditions': {'Synced': False}}}, {'current': {'conditions': {'Synced': True}}}], 'references': {}, 'makes': {'metadata.name': 'Secret'}, 'owns': ['secrets']}}}
