"""An API server in a thread, on loopback, that plays rollouts of a real cluster.

It answers as kube-apiserver v1.36.2 answered when the bundled streams were recorded,
or as its source says. `kubectl spy demo` runs against it. It uses the standard library
only and writes nothing to the terminal. The server of the tests builds on it, and adds
writes, faults and pages.
"""
