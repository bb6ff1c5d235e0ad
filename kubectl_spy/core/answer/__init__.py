"""What fails, since when, why, and which write did it: one answer for all."""
