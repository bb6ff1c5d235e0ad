"""An API server in a thread, on loopback, that plays rollouts of a real cluster.

What it answers is what kube-apiserver v1.36.2 answered when the bundled streams were
recorded, or what its source says; nothing else is invented. It is what `kubectl spy
demo` runs against, and the other end of the tests, so it uses the standard library
only and writes nothing to the terminal.
"""
