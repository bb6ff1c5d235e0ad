"""Where rendered output goes."""
