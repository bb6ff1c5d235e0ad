"""Made by `python -m tools.knowledge` from rollouts.kruise.io.yaml."""

DATA = {
    'group': 'rollouts.kruise.io',
    'docs': 'https://openkruise.io/rollouts/user-manuals/basic-usage',
    'kinds': {
        'Rollout': {'health': [{'paused': {'status.phase': ['Disabled', 'Disabling']}}, {'paused': {'spec.strategy.paused': True}}, {'paused': {'status.canaryStatus.currentStepState': 'StepPaused'}, 'says': 'it pauses at a step: {status.message}'}, {'waiting': {'status.phase': ['Initial', 'Progressing', 'Terminating']}}, {'current': {'status.phase': 'Healthy'}}], 'references': {'spec.workloadRef': 'ref', 'spec.objectRef.workloadRef': 'ref'}, 'owns': ['batchreleases.rollouts.kruise.io']},
    },
}
