"""Made by `python -m tools.knowledge` from app.terraform.io.yaml."""

DATA = {
    'group': 'app.terraform.io',
    'docs': 'https://developer.hashicorp.com/terraform/cloud-docs/integrations/kubernetes',
    'kinds': {
        'Workspace': {'health': [{'failed': {'status.runStatus': ['errored', 'policy_soft_failed']}}, {'failed': {'status.run.status': ['errored', 'policy_soft_failed']}}, {'warned': {'status.runStatus': ['canceled', 'force_canceled', 'discarded']}}, {'paused': {'status.runStatus': ['planned', 'cost_estimated', 'policy_checked', 'policy_override']}}, {'waiting': {'status.runStatus': ['pending', 'fetching', 'queuing', 'plan_queued', 'planning', 'confirmed', 'apply_queued', 'applying', 'cost_estimating', 'policy_checking']}}, {'current': {'status.runStatus': ['applied', 'planned_and_finished', 'planned_and_saved']}}], 'references': {'spec.token.secretKeyRef.name': 'Secret'}},
        'Module': {'health': [{'failed': {'status.run.status': ['errored', 'policy_soft_failed']}}, {'warned': {'status.run.status': ['canceled', 'force_canceled', 'discarded']}}, {'paused': {'status.run.status': ['planned', 'cost_estimated', 'policy_checked', 'policy_override']}}, {'waiting': {'status.run.status': ['pending', 'fetching', 'queuing', 'plan_queued', 'planning', 'confirmed', 'apply_queued', 'applying', 'cost_estimating', 'policy_checking']}}, {'current': {'status.run.status': ['applied', 'planned_and_finished', 'planned_and_saved']}}], 'references': {'spec.token.secretKeyRef.name': 'Secret'}},
    },
}
