"""Text in lines that fit into a terminal."""

from __future__ import annotations

import re

from kubectl_spy.render.columns import chopped, width

_COLOUR = r"\x1b\[[0-9;]*m"
_TOKENS = rf"{_COLOUR}|\s+|[^\s\x1b]+"
HANGING = " " * 4
"""The indent of the rest of a long line."""
_RESET = "\x1b[0m"


def plain(line: str) -> str:
    """Return *line* without its colours."""
    return re.sub(_COLOUR, "", line) if "\x1b" in line else line


def rows(line: str, columns: int) -> int:
    """Return how many rows a terminal of *columns* takes for *line*.

    >>> [rows(line, 3) for line in ("", "web", "\x1b[1mnginx\x1b[0m")]
    [1, 1, 2]
    """
    return max(len(chopped(plain(line), columns)), 1)


def wrapped(text: str, columns: int) -> list[str]:
    """Return *text* in lines of at most *columns*, broken between words.

    Longer words are broken, too. A colour is set again in each line.

    >>> wrapped("cannot pull image nginx:doesnotexist", 24)
    ['cannot pull image', 'nginx:doesnotexist']
    """
    if len(text) <= columns and width(text) <= columns:
        return [text]
    lines: list[str] = []
    line, used, colour, blank = "", 0, "", ""
    for token in re.findall(_TOKENS, text):
        if token.startswith("\x1b"):
            line += blank + token
            used, blank = used + width(blank), ""
            colour = "" if token == _RESET else token
        elif token.isspace():
            blank = token
        else:
            for part in chopped(token, columns):
                if used and used + width(blank) + width(part) > columns:
                    lines.append(line + (_RESET if colour else ""))
                    line, used, blank = colour, 0, ""
                line += blank + part
                used, blank = used + width(blank) + width(part), ""
    return [*lines, line]


def hanging(line: str, columns: int) -> str:
    """Return *line* in as many lines as it needs, the others behind an indent.

    >>> print(hanging("web-0  it failed", 14))
    web-0  it
        failed
    """
    return f"\n{HANGING}".join(wrapped(line, columns - len(HANGING)))
