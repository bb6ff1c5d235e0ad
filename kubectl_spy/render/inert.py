"""Make text from the cluster harmless to terminals.

Anyone who may write an annotation may put escape sequences into it, which rewrite what
was printed before or worse (CVE-2021-25743). They are printed as `\\u001b`: inside a
JSON string that is the same JSON.
"""

from __future__ import annotations

import re

# C0 and DEL, C1 (U+009B alone starts a sequence), line and paragraph separators,
# controls of bidirectional text (CVE-2021-42574), halves of surrogate pairs.
_UNSAFE = (
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)

ASCII = str.maketrans(
    {
        "→": "->",
        "·": "|",
        "✓": "ok",
        "✗": "!",
        "…": "...",
        "▸": ">",
        "⇄": "<->",
        "≈": "~",
        "≤": "<",
    }
)
"""The signs of our own texts for terminals of few letters."""


def inert(text: str) -> str:
    """Return *text* as one line that moves no cursor and reverses no text.

    >>> inert("a\\x1b[2Jb")
    'a\\\\u001b[2Jb'
    """
    if text.isprintable():  # most text, and a hundred times as quick
        return text
    return re.sub(_UNSAFE, lambda found: f"\\u{ord(found[0]):04x}", text)


def unsafe(text: str) -> bool:
    """Return whether `inert` would change *text*, newlines and tabs apart."""
    if text.isprintable():
        return False
    return any(match not in "\n\t" for match in re.findall(_UNSAFE, text))
