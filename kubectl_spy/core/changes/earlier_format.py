"""Reads what recordings before format 1.6 say only in sentences: their RECONNECT lines.

This is the one place that reads a sentence of ours. Later formats have the members
`stream` and `state`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_spy.core.changes.record import Watched
from kubectl_spy.core.objects import Selection

_TYPED = (1, 6)  # the first version whose RECONNECT lines have a `state`
_NOTE, _NOT_LISTED = "note: ", "note: not listed yet:"
_MORE = re.compile(r" and \d+ more$")
_BACK = re.compile(r"watching( again)?(; an unknown number of versions was missed.*)?")


def tells_states(header: dict[str, Any]) -> bool:
    """Return whether RECONNECT lines after this *header* have a stream and a state."""
    numbers = str(header.get("version", "")).split(".")
    return all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) >= _TYPED


def note_in(message: str) -> str:
    """Return *message* if it is a note, or "" if it is about a watch.

    Of lists that are missing each view finds out by itself.
    """
    is_note = message.startswith(_NOTE) and not message.startswith(_NOT_LISTED)
    return message if is_note else ""


def states(
    message: str, time: float, selections: Iterable[Selection]
) -> Iterator[Watched]:
    """Yield what *message* says of the watches of *selections*.

    It names some types, and may count more. Of those that it may have counted, it is
    not certain that they broke, nor that they are back.
    """
    if message.startswith(_NOTE):
        return
    every = list(selections)
    types = {each.resource.group_resource for each in every}
    named, colon, text = message.partition(": ")
    more = _MORE.search(named)
    names = set(_MORE.sub("", named).split(", "))
    if not colon or not names <= types:
        names, text, more = types if len(types) == 1 else set(), message, None
    back = _BACK.fullmatch(text) is not None
    for each in every:
        if each.resource.group_resource in names:
            yield Watched(each, back, text, time)
        elif not back and (more or not names):
            yield Watched(each, None, text, time)
