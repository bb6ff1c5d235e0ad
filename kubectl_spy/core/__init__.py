"""What is known about Kubernetes objects and RFC 6902, as pure functions.

Nothing below this package does I/O, reads a clock or imports click or kubernetes.
"""
