"""Change records to text. Pure: the clock, the width and the palette are arguments."""
