"""Where watch events come from: connecting, resolving targets, listing and watching.

The only package that talks to an API server, and the only one with threads. What
libraries raise ends here: callers see `SpyError`.
"""
