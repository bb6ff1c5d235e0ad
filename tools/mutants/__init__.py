"""Makes small faults in `core`, and says which tests catch them."""
