"""The rules for Pods: containers, images, probes, volumes, a file each.

`kinds.pod` puts them together. Nothing here raises, whatever a Pod holds. Nothing is
escaped here.
"""
