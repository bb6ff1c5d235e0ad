"""Spans: what a change led to, and how long each step took."""
