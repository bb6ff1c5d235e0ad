"""Pages for people without this program: HTML."""
