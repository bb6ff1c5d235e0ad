"""What is wrong with an object, why, and what to do: rules for each kind."""
