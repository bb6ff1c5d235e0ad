"""HTTP, in one way: requests to an API server, a collector and a Loki."""
