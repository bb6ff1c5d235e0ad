"""Makes the modules of `kubectl_spy/knowledge/compiled` from the YAML beside them."""
