"""One API server as one user: kubeconfig, credentials, TLS, requests and failures."""
