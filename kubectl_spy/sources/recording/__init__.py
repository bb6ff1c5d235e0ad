"""A recording as a source: files in, records of whole objects out, as if live."""
