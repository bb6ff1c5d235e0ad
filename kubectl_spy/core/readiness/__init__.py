"""Whether an object is ready, kind by kind."""
