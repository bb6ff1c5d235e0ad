"""The tour that `kubectl spy demo` gives, without a cluster."""
