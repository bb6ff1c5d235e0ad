"""Made by `python -m tools.knowledge` from sailoperator.io.yaml."""

DATA = {
    'group': 'sailoperator.io',
    'docs': 'https://github.com/istio-ecosystem/sail-operator/blob/main/docs/api-reference/sailoperator.io.md',
    'kinds': {
        '*': {'health': [{'failed': {'conditions': {'Reconciled': False}}}, {'failed': {'conditions': {'DependenciesHealthy': {'status': False, 'reason': ['IstioCNINotFound', 'IstioCNINotHealthy']}}}, 'grace': 120}, {'failed': {'conditions': {'Ready': {'status': False, 'reason': ['IstiodNotReady', 'RemoteIstiodNotReady', 'DaemonSetNotReady']}}}, 'grace': 300}, {'failed': {'conditions': {'Ready': False}}}, {'waiting': {'conditions': {'Ready': 'Unknown'}}}, {'current': {'conditions': {'Ready': True}}}], 'conditions': {'good': ['DependenciesHealthy'], 'neutral': ['InUse']}},
    },
}
