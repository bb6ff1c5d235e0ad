"""Pictures of an object and all it owns.

`trace` folds records into pictures, and `transitions` compares two of them. The same
records give the same pictures, live or recorded.
"""
