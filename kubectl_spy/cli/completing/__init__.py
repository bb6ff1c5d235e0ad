"""Shell completion: the words that may follow what was typed."""
