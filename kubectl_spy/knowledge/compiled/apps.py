"""Made by `python -m tools.knowledge` from apps.yaml."""

DATA = {'group': 'apps', 'docs': 'https://kubernetes.io/docs/concepts/workloads/controllers/', 'kinds': {'Deployment': {'owns': ['replicasets.apps']}, 'ReplicaSet': {'owns': ['pods']}, 'StatefulSet': {'owns': ['pods', 'persistentvolumeclaims', 'controllerrevisions.apps']}, 'DaemonSet': {'owns': ['pods', 'controllerrevisions.apps']}}}
