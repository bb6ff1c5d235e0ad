"""Pages and texts for people without this program: HTML and Markdown."""
