"""What a first answer does not need. Each is one package with one purpose."""
