"""The run loop, its two sources, and what goes on beside it."""
