"""The views: change records, a tree, Events, spans."""
