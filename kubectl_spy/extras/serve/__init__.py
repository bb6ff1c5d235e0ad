"""A recording as a Kubernetes API: `kubectl spy serve`."""
