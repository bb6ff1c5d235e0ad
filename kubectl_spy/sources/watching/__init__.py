"""List, watch, and go on: what is asked next, over which requests, into one queue."""
