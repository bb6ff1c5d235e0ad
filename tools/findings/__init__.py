"""Compares the codes of findings.txt with the calls that state findings."""
