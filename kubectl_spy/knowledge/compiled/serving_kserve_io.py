"""Made by `python -m tools.knowledge` from serving.kserve.io.yaml."""

DATA = {
    'group': 'serving.kserve.io',
    'docs': 'https://kserve.github.io/website/docs/reference/crd-api',
    'kinds': {
        'InferenceService': {'health': [{'failed': {'status.modelStatus.transitionStatus': ['BlockedByFailedLoad', 'InvalidSpec']}, 'says': '{status.modelStatus.transitionStatus}: {status.modelStatus.lastFailureInfo.reason} {status.modelStatus.lastFailureInfo.message}'}, {'paused': {'conditions': {'Stopped': True}}}, {'failed': {'conditions': {'Ready': False}}, 'grace': 300}], 'conditions': {'neutral': ['Stopped', 'LatestDeploymentReady']}, 'references': {'spec.predictor.serviceAccountName': 'ServiceAccount', 'spec.predictor.model.runtime': {'kind': 'ServingRuntime.serving.kserve.io', 'waits': False}}},
        'InferenceGraph': {'health': [{'failed': {'conditions': {'Ready': False}}, 'grace': 300}]},
    },
}
