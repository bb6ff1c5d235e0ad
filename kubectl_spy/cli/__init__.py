"""From argv to one running pipeline; one file per command."""
