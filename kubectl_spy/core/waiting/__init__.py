"""`--for`: the conditions, and when they are met or can no longer be met."""
