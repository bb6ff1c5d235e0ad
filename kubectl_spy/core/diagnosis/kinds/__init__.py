"""What the kinds mean: a file each, and a line in the table of `registry`."""
