"""What mattered: who changed what, what failed, and which change likely did it."""
