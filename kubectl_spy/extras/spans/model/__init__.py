"""Spans of time: what each change of an object led to."""
