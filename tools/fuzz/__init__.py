"""Reads damaged and hostile recordings with every command, and judges what comes."""
