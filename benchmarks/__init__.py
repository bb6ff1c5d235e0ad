"""Measure kubectl-spy against its peers, in one run on one machine.

`python -m benchmarks.run` prints the table of docs/development/benchmarks.md. The load
server uses the standard library only and speaks to loopback only; nothing here is
installed.
"""
