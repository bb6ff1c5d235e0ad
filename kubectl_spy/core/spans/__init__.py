"""What happened to an object and all under it, as spans of time joined by causes."""
