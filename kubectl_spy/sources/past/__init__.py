"""What a server still tells of the time before its own memory begins."""
