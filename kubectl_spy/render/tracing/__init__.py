"""Traces as text: a tree, and lines."""
