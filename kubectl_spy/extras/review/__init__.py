"""The screen of `kubectl spy review`: the only package that imports Textual."""
