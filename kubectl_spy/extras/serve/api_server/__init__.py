"""An API server in a thread, on loopback, that serves recorded objects.

It answers as kube-apiserver v1.36.2 does. `kubectl spy demo` plays its bundled streams
into it. The server of the tests adds writes and faults. It uses the standard library
only and writes nothing to the terminal.
"""
