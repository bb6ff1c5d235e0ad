"""The module of each API group, made by `python -m tools.knowledge`."""

GROUPS = {
    'cert-manager.io': 'cert_manager_io',
}
