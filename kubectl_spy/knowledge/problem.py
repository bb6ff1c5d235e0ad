"""What is wrong with an entry, and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_LONGEST = 60  # characters of a key that is told

Steps = tuple[str | int, ...]
"""The way from the beginning of a file to one of its values."""


class BadEntry(Exception):
    """An entry is not as the form asks.

    *where* leads to the bad value; with *at_key*, to a value whose key is bad.
    """

    def __init__(self, where: Steps, expected: str, *, at_key: bool = False) -> None:
        super().__init__(f"{'.'.join(map(str, where)) or 'it'}: {expected}")
        self.where = where
        self.expected = expected
        self.at_key = at_key


def mapping_of(value: Any, where: Steps, members: Iterable[str] = ()) -> dict[str, Any]:
    """Return *value*, a mapping with text keys, and with no others than *members*.

    Raises BadEntry.
    """
    if not isinstance(value, dict):
        raise BadEntry(where, "a mapping is expected here")
    known = list(members)
    for key in value:
        if not isinstance(key, str):
            raise BadEntry(
                (*where, str(key)), f"write the key {key!r} as a text", at_key=True
            )
        if known and key not in known:
            word = key if len(key) <= _LONGEST else f"{key[:_LONGEST]}…"
            expected = f'one of {", ".join(known)} is expected here, not "{word}"'
            raise BadEntry((*where, key), expected, at_key=True)
    return value


def text_of(value: Any, where: Steps) -> str:
    """Return *value*, a text that is not empty. Raises BadEntry."""
    if not isinstance(value, str) or not value.strip():
        raise BadEntry(where, "a text is expected here")
    return value


def items_of(value: Any, where: Steps) -> list[Any]:
    """Return *value*, a list. Raises BadEntry."""
    if not isinstance(value, list):
        raise BadEntry(where, "a list is expected here")
    return value
