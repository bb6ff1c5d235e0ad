"""The commands: one file each, and nothing else."""
