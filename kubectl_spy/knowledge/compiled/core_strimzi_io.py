"""Made by `python -m tools.knowledge` from core.strimzi.io.yaml."""

DATA = {'group': 'core.strimzi.io', 'docs': 'https://strimzi.io/docs/operators/latest/configuring#type-StrimziPodSet-reference', 'kinds': {'StrimziPodSet': {'health': [{'waiting': {'status.readyPods': {'below': 'status.pods'}}, 'says': '{status.readyPods|0} of {status.pods} Pods are ready'}, {'waiting': {'status.currentPods': {'below': 'status.pods'}}, 'says': '{status.currentPods|0} of {status.pods} Pods have the last revision'}, {'current': {'status.readyPods': {'equals': 'status.pods'}}}], 'owns': ['pods']}}}
