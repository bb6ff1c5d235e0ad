"""`review`."""
