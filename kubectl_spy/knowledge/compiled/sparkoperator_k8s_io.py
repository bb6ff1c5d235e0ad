"""Made by `python -m tools.knowledge` from sparkoperator.k8s.io.yaml."""

DATA = {
    'group': 'sparkoperator.k8s.io',
    'docs': 'https://www.kubeflow.org/docs/components/spark-operator/reference/api-docs/',
    'kinds': {
        'SparkApplication': {'health': [{'failed': {'status.applicationState.state': 'FAILED'}, 'says': 'its state is FAILED: {status.applicationState.errorMessage}', 'final': True}, {'failed': {'status.applicationState.state': ['SUBMISSION_FAILED', 'FAILING']}, 'says': 'its state is {status.applicationState.state}: {status.applicationState.errorMessage}'}, {'ended': {'status.applicationState.state': 'COMPLETED'}}, {'paused': {'status.applicationState.state': ['SUSPENDING', 'SUSPENDED']}}, {'current': {'status.applicationState.state': 'RUNNING'}}, {'waiting': {'status.applicationState.state': {'present': True}}, 'says': 'its state is {status.applicationState.state}: {status.applicationState.errorMessage}'}], 'references': {'spec.driver.serviceAccount': 'ServiceAccount', 'spec.sparkConfigMap': 'ConfigMap'}, 'owns': ['pods', 'services', 'configmaps']},
        'ScheduledSparkApplication': {'health': [{'failed': {'status.scheduleState': 'FailedValidation'}, 'says': 'its schedule is not valid: {status.reason}'}, {'paused': {'spec.suspend': True}}, {'current': {'status.scheduleState': 'Scheduled'}}], 'owns': ['sparkapplications.sparkoperator.k8s.io']},
    },
}
