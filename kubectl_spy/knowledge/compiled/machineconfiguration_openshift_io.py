"""Made by `python -m tools.knowledge` from machineconfiguration.openshift.io.yaml."""

DATA = {
    'group': 'machineconfiguration.openshift.io',
    'docs': 'https://docs.openshift.com/container-platform/latest/machine_configuration/index.html',
    'kinds': {
        'MachineConfigPool': {'health': [{'failed': {'conditions': {'Degraded': True, 'NodeDegraded': True}}, 'says': '{status.degradedMachineCount|0} of {status.machineCount} machines are degraded: {conditions.NodeDegraded.message}'}, {'failed': {'conditions': {'RenderDegraded': True}}}, {'failed': {'conditions': {'Degraded': True}}}, {'paused': {'spec.paused': True}, 'says': 'it is paused'}, {'waiting': {'conditions': {'Updating': True}}}, {'current': {'conditions': {'Updated': True}}}], 'conditions': {'good': ['Updated'], 'bad': ['Degraded', 'NodeDegraded', 'RenderDegraded', 'PinnedImageSetsDegraded'], 'neutral': ['Updating']}, 'references': {'spec.configuration.name': 'MachineConfig.machineconfiguration.openshift.io'}, 'owns': []},
        'KubeletConfig': {'health': [{'failed': {'conditions': {'Failure': True}}}, {'current': {'conditions': {'Success': True}}}], 'references': {}, 'owns': ['machineconfigs.machineconfiguration.openshift.io']},
        'ContainerRuntimeConfig': {'health': [{'failed': {'conditions': {'Failure': True}}}, {'current': {'conditions': {'Success': True}}}], 'references': {}, 'owns': ['machineconfigs.machineconfiguration.openshift.io']},
        'MachineConfig': {'health': [{'there': {}}], 'references': {}, 'owns': []},
    },
}
