"""What readers rely on in a line: that its members are there, and of their types.

A damaged or hostile line is found here, and not where its members are used.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import seconds


def is_text(value: JSON) -> bool:
    """Return whether *value* is a text."""
    return type(value) is str


def _is_time(value: JSON) -> bool:
    try:
        return type(value) is str and seconds(value) >= 0
    except ValueError:
        return False


def are_texts(value: JSON) -> bool:
    """Return whether *value* is a list of texts."""
    return type(value) is list and all(type(each) is str for each in value)


def _is_edit(value: JSON) -> bool:
    return (
        type(value) is dict
        and _is_time(value.get("time"))
        and is_text(value.get("manager"))
    )


_TEXT, _TIME = ("text", is_text), ("time", _is_time)
_FLAG = ("boolean", lambda value: type(value) is bool)
_MEMBERS: dict[str, tuple[str, Callable[[JSON], bool]]] = {
    **dict.fromkeys(("apiVersion", "kind", "namespace"), _TEXT),
    **dict.fromkeys(("uid", "resourceVersion", "previous"), _TEXT),
    "name": ("name of an object", lambda value: type(value) is str and value != ""),
    **dict.fromkeys(("since", "until", "written"), _TIME),
    **dict.fromkeys(("initial", "inferred", "listed"), _FLAG),
    "edited": ("edit", _is_edit),
    "managers": ("list of texts", are_texts),
    "patch": ("list", lambda value: type(value) is list),
    "object": ("object", lambda value: type(value) is dict),
}
"""What readers rely on in lines about objects. Members may be absent."""
_OF_STREAM = ("apiVersion", "kind", "since", "until")
_NAMES = ("apiVersion", "kind", "name")
_NEEDED = {
    "GAP": (*_NAMES, "uid", "resourceVersion", "patch"),
    "MODIFIED": (*_NAMES, "patch"),
    **dict.fromkeys(("ADDED", "SNAPSHOT"), (*_NAMES, "object")),
    **dict.fromkeys(("DELETED", "LEFT"), _NAMES),
}
"""The members that each line about an object has, by its type."""

_BODIES = {"MODIFIED": ("patch", list), "ADDED": ("object", dict)}
_TEXTS = itemgetter("time", "apiVersion", "kind", "name", "uid", "resourceVersion")
_RARE = frozenset({"since", "until", "written", "edited"})


def check_members(line: JSON) -> None:
    """Raise BadLine if a member of *line* is missing, or of another type."""
    try:  # most lines are like this
        member, kind = _BODIES[line["type"]]
        get, managers = line.get, line["managers"]
        # Only texts can be joined.
        "".join((*_TEXTS(line), get("namespace", ""), get("previous", ""), *managers))
        if (
            type(line["seq"]) is int
            and type(line[member]) is kind
            and type(managers) is list
            and line["name"]
            and _RARE.isdisjoint(line)
        ):
            return
    except (LookupError, TypeError, AttributeError):
        pass
    _check(line)


def _check(line: JSON) -> None:
    if (
        not isinstance(line, dict)
        or type(line.get("seq")) is not int
        or type(line.get("time")) is not str
        or type(line.get("type")) is not str
    ):
        raise BadLine("it has no seq, time and type")
    needed = _NEEDED.get(line["type"])
    if needed is None:
        return
    if line["type"] == "GAP" and "name" not in line and "uid" not in line:
        needed = _OF_STREAM
    for member, (what, holds) in _MEMBERS.items():
        value = line.get(member)
        if value is not None and not holds(value):
            raise BadLine(f"its {member} is no {what}")
    for member in needed:
        if line.get(member) is None:
            raise BadLine(f"it has no {member}")


def check_document(document: JSON) -> None:
    """Raise BadLine if *document* is no object with names, as all that is recorded.

    Its names may differ from those of its line, if a server said so.
    """
    if type(document) is not dict:
        raise BadLine("its object is none")
    metadata = document.get("metadata")
    if not (
        type(metadata) is dict
        and type(metadata.get("name", "")) is str
        and type(metadata.get("namespace", "")) is str
        and type(metadata.get("uid", "")) is str
    ):
        raise BadLine("its object has no metadata with names")
