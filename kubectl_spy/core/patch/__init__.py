"""RFC 6902 patches: made, applied, and made shorter."""
