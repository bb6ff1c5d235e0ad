"""The members of each type of line: what they mean, and what readers rely on.

A damaged or hostile line is found here, and not where its members are used. The tables
of docs/recording-format.md are made from `TYPES`.
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


class Row(NamedTuple):
    """Members of one kind, of which the table says the same."""

    names: tuple[str, ...]
    kind: str  # of _KINDS
    says: str
    needed: bool = False  # whether a line without one is damaged


def _row(names: str, kind: str, says: str = "", *, needed: bool = False) -> Row:
    return Row(tuple(names.split()), kind, says, needed)


def _needed(names: str, kind: str, says: str = "") -> Row:
    return _row(names, kind, says, needed=True)


_HEADER = (
    _row("format", "text", '`"kubectl-spy"`'),
    _row(
        "version",
        "text",
        '`"1.5"`. A reader refuses a later major version. In a later minor version it '
        "ignores unknown types and members",
    ),
    _row("tool", "text", "the version of kubectl-spy that wrote it"),
    _row("server", "text", 'the API server\'s version, or `""`'),
    _row("context", "text", 'the kubeconfig\'s context, or `""`'),
    _row(
        "cluster",
        "text",
        "16 hexadecimal digits that tell clusters apart: a hash of the URL and the "
        "certificate authority",
    ),
    _row("command", "text", "how `replay` shows it: as `status` or `changes`"),
    _row("only ignore", "list of texts", "with these pointers, and without those"),
    _row("watchOnly", "boolean", "and without the first lists if it is true"),
    _row("targets", "list of texts", "the words of the command line"),
    _row("owned", "boolean", "whether what the targets own was recorded, too"),
    _row(
        "redaction",
        "object",
        '`secrets`: `"masked"` or `"shown"`; `epoch`: the name of the key that masks '
        "values; `fields`: the rules of `--redact`, if any",
    ),
    _row(
        "recording",
        "text",
        "16 hexadecimal digits, the same in all segments of a recording",
    ),
    _row("segment", "number", "the number of this segment, from 1"),
    _row("keep", "seconds", "with `--keep`: how long lines are kept"),
)
_STREAM = (
    _needed("stream", "number", "its number, which other lines refer to"),
    _needed("apiVersion kind resource", "text", "the type, as in API discovery"),
    _row("singular", "text", "its name in the singular"),
    _row("shortNames categories", "list of texts", "other names for it"),
    _needed("namespaced", "boolean", "whether its objects have a namespace"),
    _row("status", "boolean", "whether its objects have a status"),
    _row(
        "namespace name labelSelector fieldSelector",
        "text",
        "what restricted the list, if anything",
    ),
    _row(
        "owned",
        "boolean",
        "true if the stream was not asked for, but recorded for what the targets own "
        "(`--owned`). New in 1.1",
    ),
    _row(
        "since",
        "time",
        "the stream [continues](#a-stream-that-goes-on) from there. New in 1.4",
    ),
)
_OF_CHANGES = (
    _row("namespace uid resourceVersion previous", "text"),
    _row("initial inferred listed timeIsBound firstRemembered", "boolean"),
    _row("managers", "list of texts"),
    _row("written", "time"),
    _row("edited", "edit"),
    _row("stream", "number"),
)
_CHANGE = (
    _needed("apiVersion kind", "text"),
    _needed("name", "name of an object"),
    *_OF_CHANGES,
    _row("since until", "time"),
)
_OBJECT, _PATCH = _needed("object", "object"), _needed("patch", "list")
_STREAM_GAP = (
    _needed("apiVersion kind", "text"),
    _needed("since until", "time"),
    *_OF_CHANGES,
    _row("patch", "list"),
)

TYPES: dict[str, tuple[Row, ...]] = {
    "HEADER": _HEADER,
    "RESUME": (
        *_HEADER,
        _row("after", "number", "the last line that is noted as delivered"),
    ),
    "STREAM": _STREAM,
    "ADDED": (*_CHANGE, _OBJECT),
    "SNAPSHOT": (*_CHANGE, _OBJECT),
    "MODIFIED": (*_CHANGE, _PATCH),
    "DELETED": _CHANGE,
    "LEFT": _CHANGE,
    "GAP": (*_CHANGE, _PATCH, _needed("uid resourceVersion", "text")),
    "GAP of a stream": _STREAM_GAP,
    "KEYS": (
        _needed("stream", "number", "whose objects: all of that type"),
        _needed(
            "path",
            "text",
            "a pointer to the list, with `*` for an index: `/spec/groups/*/rules`",
        ),
        _needed(
            "members",
            "list of names",
            'the members whose values together name an element: `["address","zone"]`',
        ),
    ),
    "LISTED": (
        _needed("stream", "number"),
        _row("objects", "number", "how many objects the list held"),
    ),
    "REFUSED": (
        _needed("stream", "number"),
        _row("message", "text", "why it cannot be listed"),
        _row(
            "reason",
            "text",
            "`Forbidden` if a right is missing, as in a Status. New in 1.5",
        ),
    ),
    "HORIZON": (
        _row("stream", "number", "which stream"),
        _row("writes", "number", "how many writes of the type the server remembered"),
        _row("first", "time", "the time of the first of them"),
        _row("whole", "boolean", "true if all writes since `time` are known"),
        _row(
            "reason",
            "text",
            "why nothing was remembered; then there are none of the members above",
        ),
    ),
    "RECONNECT": (
        _row("message", "text", "what standard error said about the connection"),
    ),
    "LOG": (
        _row("namespace name uid", "text", "the Pod"),
        _row(
            "container containerID",
            "text",
            "the container, and its ID in the Pod's status: each run has another one",
        ),
        _needed(
            "lines",
            "list of texts",
            "the last lines that are not blank; `[]` if nothing was written",
        ),
        _row("cut", "boolean", "whether the end of the last line is missing"),
    ),
    "END": (_row("reason", "text", "why the recorder ended"),),
}
"""The members of each type beside `seq`, `time`, `type` and `crc32`."""


class _Check(NamedTuple):
    name: str
    kind: str
    holds: Callable[[JSON], bool]
    needed: bool


_CHECKS = {
    kind: [
        _Check(name, row.kind, _KINDS[row.kind], row.needed)
        for row in rows
        for name in row.names
    ]
    for kind, rows in TYPES.items()
}
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
    checks = _CHECKS.get(kind, ())
    for name, what, holds, _ in checks:
        value = line.get(name)
        if value is not None and not holds(value):
            raise BadLine(f"its {name} is no {what}")
    for name, _, _, needed in checks:
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
