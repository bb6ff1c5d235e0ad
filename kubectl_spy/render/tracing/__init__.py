"""Traces as text."""
