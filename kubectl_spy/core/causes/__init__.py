"""Which writes of clients may have caused a failure."""
