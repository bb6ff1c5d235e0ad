"""The module of each API group, made by `python -m tools.knowledge`."""

GROUPS = {
    'admissionregistration.k8s.io': 'admissionregistration_k8s_io',
    'apiextensions.k8s.io': 'apiextensions_k8s_io',
    'apiregistration.k8s.io': 'apiregistration_k8s_io',
    'apps': 'apps',
    'autoscaling': 'autoscaling',
    'batch': 'batch',
    'cert-manager.io': 'cert_manager_io',
    'certificates.k8s.io': 'certificates_k8s_io',
    'coordination.k8s.io': 'coordination_k8s_io',
    '': 'core',
    'discovery.k8s.io': 'discovery_k8s_io',
    'networking.k8s.io': 'networking_k8s_io',
    'policy': 'policy',
    'storage.k8s.io': 'storage_k8s_io',
}
