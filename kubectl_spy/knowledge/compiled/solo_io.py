"""Made by `python -m tools.knowledge` from solo.io.yaml."""

DATA = {
    'group': '*.solo.io',
    'docs': 'https://docs.solo.io/gloo-edge/latest/reference/api/github.com/solo-io/solo-kit/api/v1/status.proto.sk/',
    'kinds': {
        '*': {'health': [{'failed': {'status.statuses[].state': ['Rejected', 2]}, 'says': 'it is rejected: {status.statuses[].reason}'}, {'failed': {'status.state': ['Rejected', 2]}, 'says': 'it is rejected: {status.reason}'}, {'warned': {'status.statuses[].state': ['Warning', 3]}, 'says': 'it has warnings: {status.statuses[].reason}'}, {'warned': {'status.state': ['Warning', 3]}, 'says': 'it has warnings: {status.reason}'}, {'waiting': {'status.statuses[].state': ['Pending', 0]}}, {'waiting': {'status.state': ['Pending', 0]}}, {'current': {'status.statuses[].state': ['Accepted', 1]}}, {'current': {'status.state': ['Accepted', 1]}}], 'owns': []},
    },
}
