"""Whether an object is as its spec asks for, kind by kind."""
