"""Record a cluster into Loki while parts are killed, and ask what its objects were.

The truth is what the API server answered to the writes. None of kubectl-spy's code is
used to know it, and none to compare with it.
"""
