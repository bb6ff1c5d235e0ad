"""From what a person typed to what the server serves: targets and API discovery."""
