"""Made by `python -m tools.knowledge` from infra.contrib.fluxcd.io.yaml."""

DATA = {
    'group': 'infra.contrib.fluxcd.io',
    'docs': 'https://flux-iac.github.io/tofu-controller/',
    'kinds': {
        'Terraform': {'health': [{'paused': {'spec.suspend': True}, 'says': 'it is suspended'}, {'paused': {'status.plan.pending': {'present': True}, 'conditions': {'Ready': {'status': {'not': False}}}}, 'says': 'its plan {status.plan.pending} waits for approval'}], 'conditions': {'neutral': ['Plan', 'Apply', 'Output', 'HealthCheck', 'StateLocked']}, 'references': {'spec.sourceRef': {'kind': 'ref', 'group': 'source.toolkit.fluxcd.io', 'namespace': 'spec.sourceRef.namespace'}, 'spec.dependsOn[].name': {'kind': 'Terraform.infra.contrib.fluxcd.io', 'namespace': 'spec.dependsOn[].namespace'}, 'spec.varsFrom[]': 'ref', 'spec.cliConfigSecretRef.name': 'Secret'}, 'makes': {'spec.writeOutputsToSecret.name': 'Secret'}, 'owns': ['pods']},
    },
}
