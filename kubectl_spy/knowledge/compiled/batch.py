"""Made by `python -m tools.knowledge` from batch.yaml."""

DATA = {'group': 'batch', 'docs': 'https://kubernetes.io/docs/concepts/workloads/controllers/job/', 'kinds': {'CronJob': {'owns': ['jobs.batch']}, 'Job': {'owns': ['pods', 'workloads.kueue.x-k8s.io']}}}
