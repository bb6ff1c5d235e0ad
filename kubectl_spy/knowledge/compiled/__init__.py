"""The module of each API group, made by `python -m tools.knowledge`."""

GROUPS = {
    'acme.cert-manager.io': 'acme_cert_manager_io',
    '*.cluster.x-k8s.io': 'any_cluster_x_k8s_io',
    '*.crossplane.io': 'any_crossplane_io',
    '*.upbound.io': 'any_upbound_io',
    'apiextensions.crossplane.io': 'apiextensions_crossplane_io',
    'argoproj.io': 'argoproj_io',
    'cert-manager.io': 'cert_manager_io',
    'cluster.x-k8s.io': 'cluster_x_k8s_io',
    'helm.toolkit.fluxcd.io': 'helm_toolkit_fluxcd_io',
    'image.toolkit.fluxcd.io': 'image_toolkit_fluxcd_io',
    'kustomize.toolkit.fluxcd.io': 'kustomize_toolkit_fluxcd_io',
    'notification.toolkit.fluxcd.io': 'notification_toolkit_fluxcd_io',
    'pkg.crossplane.io': 'pkg_crossplane_io',
    'source.toolkit.fluxcd.io': 'source_toolkit_fluxcd_io',
}
