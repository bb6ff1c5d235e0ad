"""The objects of a cluster, what owns what, and Events."""
