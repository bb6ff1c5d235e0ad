"""HTML pages that need nothing but a browser: of a recording, and of spans."""
