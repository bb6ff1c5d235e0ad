"""What a cluster holds, and how its objects belong together."""
