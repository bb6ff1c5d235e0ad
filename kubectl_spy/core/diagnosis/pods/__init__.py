"""What is to be known of a Pod: its containers, images, probes, volumes, a file each.

`kinds.pod` puts them together. Nothing here raises, whatever the Pod holds, and nothing
is escaped.
"""
