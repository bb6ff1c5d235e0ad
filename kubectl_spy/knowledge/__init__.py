"""What is known of kinds, as data: one YAML file for an API group.

A file says what the status of its kinds means, what they refer to, make and own.
docs/knowledge.md has the form. `python -m tools.knowledge` makes generated.py of them,
which is what runs. This package knows nothing of the rest of the program.
"""
