"""The members of each type of line, on which readers rely.

A damaged or hostile line is found here, and not where its members are used.
docs/recording-format.md says what they mean, and a test compares it with `TYPES`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import seconds


def _is_time(value: JSON) -> bool:
    try:
        return type(value) is str and seconds(value) >= 0
    except ValueError:
        return False


def _are_texts(value: JSON) -> bool:
    return type(value) is list and all(type(each) is str for each in value)


def _is_edit(value: JSON) -> bool:
    return (
        type(value) is dict
        and _is_time(value.get("time"))
        and type(value.get("manager")) is str
    )


_KINDS: dict[str, Callable[[JSON], bool]] = {
    "text": lambda value: type(value) is str,
    "name of an object": lambda value: type(value) is str and value != "",
    "time": _is_time,
    "boolean": lambda value: type(value) is bool,
    "number": lambda value: type(value) is int and value >= 0,
    "seconds": lambda value: type(value) in (int, float) and value >= 0,
    "list": lambda value: type(value) is list,
    "object": lambda value: type(value) is dict,
    "list of texts": _are_texts,
    "list of names": lambda value: _are_texts(value) and value != [],
    "edit": _is_edit,
}
"""What a member may be. An edit is an object with a `time` and a `manager`."""


class Member(NamedTuple):
    """A member of a line."""

    name: str
    kind: str  # of _KINDS
    needed: bool  # whether a line without it is damaged


def _members(*rows: tuple[str, str]) -> tuple[Member, ...]:
    """Return the members in *rows* of a kind and names. What is needed ends in `!`."""
    return tuple(
        Member(name.removesuffix("!"), kind, name.endswith("!"))
        for kind, names in rows
        for name in names.split()
    )


_HEADER = _members(
    ("text", "format version tool server context cluster command recording"),
    ("list of texts", "only ignore targets"),
    ("boolean", "watchOnly owned"),
    ("object", "redaction"),
    ("number", "segment"),
    ("seconds", "keep"),
)
_CHANGE = _members(
    ("text", "apiVersion! kind! namespace uid resourceVersion previous"),
    ("boolean", "initial inferred listed timeIsBound firstRemembered"),
    ("list of texts", "managers"),
    ("time", "written"),
    ("edit", "edited"),
    ("number", "stream"),
)
_OF_OBJECT = (
    *_CHANGE,
    *_members(("name of an object", "name!"), ("time", "since until")),
)
_WHOLE = (*_OF_OBJECT, *_members(("object", "object!")))
_PATCHED = (*_OF_OBJECT, *_members(("list", "patch!")))

TYPES: dict[str, tuple[Member, ...]] = {
    "HEADER": _HEADER,
    "RESUME": (*_HEADER, *_members(("number", "after"))),
    "STREAM": _members(
        ("number", "stream!"),
        ("text", "apiVersion! kind! resource! singular"),
        ("text", "namespace name labelSelector fieldSelector"),
        ("list of texts", "shortNames categories"),
        ("boolean", "namespaced! status owned filtered"),
        ("time", "since"),
    ),
    "ADDED": _WHOLE,
    "SNAPSHOT": _WHOLE,
    "MODIFIED": _PATCHED,
    "DELETED": _OF_OBJECT,
    "LEFT": _OF_OBJECT,
    "GAP": (*_PATCHED, *_members(("text", "uid! resourceVersion!"))),
    "GAP of a stream": (
        *_CHANGE,
        *_members(("time", "since! until!"), ("list", "patch")),
    ),
    "KEYS": _members(
        ("number", "stream!"), ("text", "path!"), ("list of names", "members!")
    ),
    "LISTED": _members(("number", "stream! objects")),
    "REFUSED": _members(("number", "stream!"), ("text", "message reason")),
    "HORIZON": _members(
        ("number", "stream writes"),
        ("time", "first exact"),
        ("boolean", "whole"),
        ("text", "reason"),
    ),
    "PAST": _members(
        ("number", "stream!"),
        ("text", "apiVersion! kind! namespace uid origin! source"),
        ("name of an object", "name!"),
        ("time", "until"),
        ("boolean", "approximate"),
        ("list of texts", "managers fields"),
        ("list", "patch"),
    ),
    "RECONNECT": _members(("text", "message state"), ("number", "stream")),
    "LOG": _members(
        ("text", "namespace name uid container containerID"),
        ("list of texts", "lines!"),
        ("boolean", "cut"),
    ),
    "END": _members(("text", "reason")),
}
"""The members of each type beside `seq`, `time`, `type` and `crc32`."""

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
    kind = line["type"]
    if kind == "GAP" and "name" not in line and "uid" not in line:
        kind = "GAP of a stream"
    members = TYPES.get(kind, ())
    for name, what, _ in members:
        value = line.get(name)
        if value is not None and not _KINDS[what](value):
            raise BadLine(f"its {name} is no {what}")
    for name, _, needed in members:
        if needed and line.get(name) is None:
            raise BadLine(f"it has no {name}")


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
