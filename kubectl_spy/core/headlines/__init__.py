"""What a change means, in a few words."""
