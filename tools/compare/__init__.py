"""Compares, byte for byte, what two checkouts say of the same recordings."""
