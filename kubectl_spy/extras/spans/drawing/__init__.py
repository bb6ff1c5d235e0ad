"""Spans as text: bars on a time line, rows, JSON."""
