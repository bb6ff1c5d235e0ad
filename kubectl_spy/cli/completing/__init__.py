"""What may stand where somebody pressed Tab."""
