"""What `--for` waits for, and when it has come or cannot come any more."""
