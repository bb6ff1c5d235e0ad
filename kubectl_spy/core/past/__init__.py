"""What an API server remembers of the writes before we asked."""
