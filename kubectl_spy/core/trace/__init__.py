"""Pictures of an object and all it owns.

`trace` folds records into pictures, and `transitions` tells two of them apart. The same
records give the same pictures, live or from a recording.
"""
