"""Change records: made from watch events, masked, narrowed, written down, read back."""
