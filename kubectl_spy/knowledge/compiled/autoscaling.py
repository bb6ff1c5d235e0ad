"""Made by `python -m tools.knowledge` from autoscaling.yaml."""

DATA = {
    'group': 'autoscaling',
    'docs': 'https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/',
    'kinds': {
        'HorizontalPodAutoscaler': {'owns': []},
    },
}
