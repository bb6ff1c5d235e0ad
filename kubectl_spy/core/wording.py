"""Numbers and foreign text in sentences."""

from __future__ import annotations


def many(count: int, noun: str) -> str:
    """Return *count* with *noun*, in the plural unless it is 1.

    >>> many(1, "old Pod"), many(2, "old Pod"), many(2, "index")
    ('1 old Pod', '2 old Pods', '2 indexes')
    """
    plural = "es" if noun.endswith(("s", "x")) else "s"
    return f"{count} {noun}" + ("" if count == 1 else plural)


def one_line(text: str, width: int) -> str:
    r"""Return *text* as one line of at most *width* characters.

    >>> one_line("cat: can't open 'ok':\n  No such file\n", 24)
    "cat: can't open 'ok': N…"
    """
    # Cut twice: splitting a megabyte for one line of it takes long.
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"
