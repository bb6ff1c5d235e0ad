"""The bundled recordings of a real cluster, and the server that plays them.

`kubectl spy demo` runs against it.
"""
