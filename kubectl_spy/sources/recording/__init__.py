"""Reads recordings: from files to records of whole objects, as from a cluster."""
