"""Made by `python -m tools.knowledge` from numaflow.numaproj.io.yaml."""

DATA = {
    'group': 'numaflow.numaproj.io',
    'docs': 'https://numaflow.numaproj.io/APIs/',
    'kinds': {
        '*': {'health': [{'failed': {'status.phase': 'Failed'}}, {'paused': {'status.phase': ['Pausing', 'Paused']}}, {'failed': {'conditions': {'Configured': False}}}, {'failed': {'conditions': {'Deployed': False}}}, {'failed': {'conditions': {'VerticesHealthy': False}}, 'grace': 120}, {'failed': {'conditions': {'PodsHealthy': False}}, 'grace': 120}, {'failed': {'conditions': {'ChildrenResourcesHealthy': False}}, 'grace': 120}, {'failed': {'conditions': {'DaemonServiceHealthy': False}}, 'grace': 120}, {'failed': {'conditions': {'DaemonHealthy': False}}, 'grace': 120}, {'failed': {'conditions': {'SideInputsManagersHealthy': False}}, 'grace': 120}, {'waiting': {'status.phase': ['Pending', 'Deleting']}}, {'current': {'status.phase': 'Running'}}], 'conditions': {'good': ['Configured', 'Deployed']}, 'references': {'spec.interStepBufferServiceName': 'InterStepBufferService.numaflow.numaproj.io'}},
    },
}
