"""What the reader of messages calls options and recordings, and is told to do.

A person types flags and files, and reads messages as they stand in the code. A tool of
`mcp` runs a command for a client, which knows arguments and names of recordings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Terms(NamedTuple):
    """The words of a reader: by flag, by file or URL, and by the code of a phrase.

    If a file or URL begins with another, it comes first.
    """

    options: Mapping[str, str] = {}
    recordings: Mapping[str, str] = {}
    phrases: Mapping[str, str] = {}


_used = [Terms()]


def use(terms: Terms) -> None:
    """Let the reader of this process be one that knows *terms*."""
    _used[:] = [terms]


def option(flag: str) -> str:
    """Return what the reader calls *flag*."""
    return _used[0].options.get(flag, flag)


def called(name: str) -> str:
    """Return what the reader calls the recording *name*, or a part or file of it."""
    for known, short in _used[0].recordings.items():
        if name.startswith(known):
            return short + name[len(known) :]
    return name


def phrase(code: str, text: str, **names: str) -> str:
    """Return *text*, or what the reader is told for *code*, with *names* in it."""
    other = _used[0].phrases.get(code)
    return text if other is None else other.format(**names)
