"""The Model Context Protocol server: the only package that imports its SDK."""
