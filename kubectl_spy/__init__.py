"""See how Kubernetes objects change: every version as an RFC 6902 patch."""

__version__ = "0.1.0"
