"""An API server in a thread, on loopback, that plays rollouts of a real cluster."""
