"""Makes `kubectl_spy/knowledge/generated.py` from the YAML beside it."""
