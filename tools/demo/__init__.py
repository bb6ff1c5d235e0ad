"""Makes the recordings that `kubectl spy demo` plays."""
