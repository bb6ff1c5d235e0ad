"""Counts what is written by hand, and holds it to a table."""
