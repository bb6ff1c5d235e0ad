"""Reads the lines of a recording. What readers rely on in a line is checked here.

A line is read to one of two depths. `line_of` reads its head: the checksum, and what it
is about. `members_of` reads its body: the document or the patch, and who wrote it. A
damaged or hostile line is a BadLine here, and nothing to look out for elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from kubectl_spy.core.changes import lines
from kubectl_spy.core.changes.earlier import PAST
from kubectl_spy.core.changes.record import LOG_MEMBERS, ContainerRun
from kubectl_spy.core.changes.recording_format import FORBIDDEN, SEAL_LENGTH, is_sealed
from kubectl_spy.core.jsontext import LEVELS, UnreadableJSON, is_deeper, loads
from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource, Selection
from kubectl_spy.core.times import seconds

HEAD = re.compile(
    rb'\{"seq":([0-9]{1,18}),"time":"([^"]{20}[0-9]{6}Z)","type":"([A-Z]+)",'
    rb'"apiVersion":"([^"\\]+)","kind":"([^"\\]+)",(?:"namespace":"([^"\\]+)",)?'
    rb'"name":"([^"\\]+)","uid":"([^"\\]*)","resourceVersion":"([^"\\]*)"'
)
"""The beginning of a line about an object, as it is written. Other lines are parsed,
and so are most damaged lines and names with escapes."""

_REST = re.compile(
    rb'(,"initial":true)?(,"inferred":true)?(,"listed":true)?'
    rb'(?:,"written":"[^"\\]*")?(?:,"previous":"([^"\\]*)")?'
    rb',"(?:managers|object|patch|stream)":'
)
"""What follows the HEAD."""

_STREAM = re.compile(
    rb'"stream":([0-9]{1,18})'
    rb',"edited":\{"time":"[^"\\]*","manager":"(?:[^"\\]|\\.)*"\}'
    rb',"crc32":"[0-9a-f]{8}"\}\n$'
)
"""The end of a line that is about a last edit, too."""
_NUMBER, _DIGITS = b'"stream":', 19
_LONGEST = 300  # bytes of an end

_BODIES = {
    b"ADDED": ("ADDED", b',"object":{'),
    b"SNAPSHOT": ("SNAPSHOT", b',"object":{'),
    b"MODIFIED": ("MODIFIED", b',"patch":['),
    b"DELETED": ("DELETED", b""),
    b"LEFT": ("LEFT", b""),
}
"""The types of lines that need not be parsed, and what they have. A GAP is parsed."""
_NO_BODY = "", b""
_KNOWN = 4096  # objects whose names are cached, and seconds
_Head = tuple[int, float, str, int]
_GONE = ("DELETED", "LEFT")
_MANAGERS = b',"managers":['
_MANAGER = re.compile(rb'\["([^"\\]*)"\],')


def decode(raw: bytes) -> dict[str, JSON]:
    """Return the members of *raw*, a line with its newline, without the checksum.

    Raises BadLine if the checksum is wrong or missing, or it is not a line.
    """
    if not is_sealed(raw):
        raise lines.BadLine("its checksum does not match")
    return _members(raw)


def _members(raw: bytes) -> dict[str, Any]:
    try:
        line = loads(raw[:-SEAL_LENGTH] + b"}")
    except UnreadableJSON as error:
        raise lines.BadLine(str(error)) from None
    check_members(line)
    # Values of a patch are looked at when it is applied.
    may_be_deep = "patch" not in line and raw.count(b"{") + raw.count(b"[") > LEVELS
    if may_be_deep and is_deeper(line, LEVELS):
        raise lines.BadLine("it is nested too deeply")
    members: dict[str, Any] = line
    return members


def line_of(raw: bytes) -> lines.Line:
    """Return what the head of *raw* says, a line with its newline. Raises BadLine.

    A line about an object is parsed only if it is not written as usual.
    """
    found = HEAD.match(raw)
    rest = None if found is None else _REST.match(raw, found.end())
    if found is None or rest is None:
        return _parsed(raw, found)
    kind, has = _BODIES.get(found[3], _NO_BODY)
    initial, inferred, listed, previous = rest.groups()
    stream = _stream_of(raw)
    if (
        not kind
        or stream < 0
        or raw.find(has, found.end()) < 0
        or (previous is None and kind == "MODIFIED")
        # Another program may write it later.
        or (found[6] is None and raw.find(b'"namespace":', found.end()) >= 0)
    ):
        return _parsed(raw, found)
    if not is_sealed(raw):
        raise lines.BadLine("its checksum does not match")
    seq, time, version = found.group(1, 2, 9)
    try:
        names, uid, identity = _about(raw[found.start(4) : found.end(8)])
        second = _second(time[:20])
        return lines.ObjectLine(
            int(seq),
            (second + int(time[20:26])) / 1_000_000,
            kind,
            stream,
            names,
            uid,
            lines.VersionKey(
                identity, version.decode(), initial is not None, kind in _GONE
            ),
            inferred is not None,
            listed is not None,
            None if previous is None else previous.decode(),
            raw,
        )
    except UnicodeDecodeError:
        raise lines.BadLine("it is not JSON") from None


@lru_cache(_KNOWN)
def _about(text: bytes) -> tuple[lines.Names, str, str]:
    """Return the names, the uid and the identity in a HEAD.

    *text* is that from the apiVersion to the uid: lines about one object share it.
    """
    version, kind, *namespace, name, uid = text.decode().split('"')[::4]
    names: lines.Names = version, kind, namespace[0] if namespace else None, name
    return names, uid, uid or _identity(*names[1:])


@lru_cache(_KNOWN)
def _second(time: bytes) -> int:
    """Return the microseconds of a time without its fraction. Raises BadLine."""
    return int(_time(f"{time.decode()}000000Z")) * 1_000_000


def members_of(line: lines.ObjectLine) -> dict[str, Any]:
    """Return all members of a line. Raises BadLine if its body is damaged.

    A name, a uid or a version that comes twice is damage.
    """
    members = _members(line.raw)
    get = members.get
    version = get("resourceVersion") or ""
    if _names(members) != line.names or (get("uid") or "", version) != (
        line.uid,
        line.seen.version,
    ):
        raise lines.BadLine("a member comes twice")
    return members


def managers_of(raw: bytes) -> tuple[str, ...]:
    """Return who made the change in a line about an object, as far as it says."""
    # Most lines have one manager, before the document or the patch.
    first = raw.find(b"[")
    is_first = raw.endswith(_MANAGERS, 0, first + 1) and raw.find(b"{", 1, first) < 0
    if is_first and (found := _MANAGER.match(raw, first)):
        return (found[1].decode(errors="replace"),)
    with suppress(lines.BadLine):
        return tuple(_members(raw).get("managers") or ())
    return ()


def stream_of(raw: bytes) -> int:
    """Return the stream of a line about an object, or -1, mostly without parsing."""
    number = _stream_of(raw)
    if number < 0:
        with suppress(lines.BadLine):
            return line_of(raw).stream
    return number


def selection_of(members: dict[str, Any]) -> Selection:
    """Return the selection that the members of a STREAM describe."""
    get = members.get
    group, _, version = members["apiVersion"].rpartition("/")
    return Selection(
        resource=Resource(
            gvk=GroupVersionKind(group, version, members["kind"]),
            plural=members["resource"],
            singular=get("singular") or "",
            namespaced=members["namespaced"],
            short_names=tuple(get("shortNames") or ()),
            categories=tuple(get("categories") or ()),
            has_status=get("status") is not False,
        ),
        namespace=get("namespace"),
        name=get("name"),
        label_selector=get("labelSelector"),
        field_selector=get("fieldSelector"),
        asked=get("owned") is not True,
        filtered=get("filtered") is True,
    )


def _parsed(raw: bytes, found: re.Match[bytes] | None) -> lines.Line:
    """Return what a line says, whose beginning is *found*, if that is as usual."""
    members: dict[str, Any] = decode(raw)
    kind = members["type"]
    number = members.get("stream")
    stream = number if type(number) is int else -1
    head = members["seq"], _time(members["time"]), kind, stream
    get = members.get
    if kind in lines.OF_OBJECTS:
        line = _of_object(members, head, raw)
        if found is not None and found[7] != line.names[3].encode(errors="replace"):
            raise lines.BadLine("it has two names")
        return line
    if kind in lines.HEADERS:
        return lines.HeaderLine(*head, members)
    if kind == "STREAM":
        return lines.StreamLine(*head, selection_of(members), _maybe_time(get("since")))
    if kind == "KEYS":
        return lines.KeysLine(*head, members["path"], tuple(members["members"]))
    if kind == "LISTED":
        return lines.ListedLine(*head, get("objects") or 0)
    if kind == "REFUSED":
        forbidden = get("reason") == FORBIDDEN
        return lines.RefusedLine(*head, get("message") or "", forbidden)
    if kind == "LOG":
        run = ContainerRun._make(get(each) or "" for each in LOG_MEMBERS)
        cut = get("cut") is True
        return lines.LogLine(*head, run, tuple(members["lines"]), cut)
    if kind == PAST:
        return lines.PastLine(*head, _names(members), members)
    if kind == "RECONNECT":
        return lines.ReconnectLine(*head, get("message") or "", get("state") or "")
    if kind == "HORIZON":
        whole, reason = get("whole") is True, get("reason") or ""
        first, exact = _maybe_time(get("first")), _maybe_time(get("exact"))
        if exact is None and (whole or reason):  # before 1.6
            exact = head[1]
        elif exact is None and first is not None:
            exact = max(head[1], first)
        return lines.HorizonLine(*head, exact, get("writes") or 0, first, whole, reason)
    said = get("reason") if kind == "END" else ""
    return lines.NoteLine(*head, said if type(said) is str else "")


def _of_object(
    members: dict[str, Any], head: _Head, raw: bytes
) -> lines.ObjectLine | lines.StreamGap:
    get, kind = members.get, members["type"]
    if kind == "GAP" and "name" not in members and "uid" not in members:
        since, until = _time(members["since"]), _time(members["until"])
        return lines.StreamGap(*head, _names(members), since, until)
    names, uid = _names(members), get("uid") or ""
    return lines.ObjectLine(
        *head,
        names,
        uid,
        lines.VersionKey(
            uid or _identity(*names[1:]),
            get("resourceVersion") or "",
            get("initial") is True,
            kind in _GONE,
        ),
        get("inferred") is True,
        get("listed") is True,
        get("previous"),
        raw,
    )


def _names(members: dict[str, Any]) -> lines.Names:
    get = members.get
    return members["apiVersion"], members["kind"], get("namespace"), get("name", "")


def _time(text: JSON) -> float:
    try:
        return seconds(str(text))
    except ValueError as error:
        raise lines.BadLine(f"its time is none ({error})") from None


def _maybe_time(text: JSON) -> float | None:
    return None if text is None else _time(text)


def _identity(kind: str, namespace: str | None, name: str) -> str:
    return f"{kind}/{namespace}/{name}"


def _stream_of(raw: bytes) -> int:
    at = raw.rfind(_NUMBER, -_LONGEST, -SEAL_LENGTH) + len(_NUMBER)
    number = raw[at:-SEAL_LENGTH]  # the last member of most lines
    if number.isdigit() and len(number) < _DIGITS:
        return int(number)
    found = _STREAM.search(raw, max(0, len(raw) - _LONGEST))
    return int(found[1]) if found else -1


# The members of each type of line, on which readers rely.


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


def _declared(*rows: tuple[str, str]) -> tuple[Member, ...]:
    """Return the members in *rows* of a kind and names. What is needed ends in `!`."""
    return tuple(
        Member(name.removesuffix("!"), kind, name.endswith("!"))
        for kind, names in rows
        for name in names.split()
    )


_HEADER = _declared(
    ("text", "format version tool server context cluster command recording"),
    ("list of texts", "only ignore targets"),
    ("boolean", "watchOnly owned"),
    ("object", "redaction"),
    ("number", "segment"),
    ("seconds", "keep"),
)
_CHANGE = _declared(
    ("text", "apiVersion! kind! namespace uid resourceVersion previous"),
    ("boolean", "initial inferred listed timeIsBound firstRemembered"),
    ("list of texts", "managers"),
    ("time", "written"),
    ("edit", "edited"),
    ("number", "stream"),
)
_OF_OBJECT = (
    *_CHANGE,
    *_declared(("name of an object", "name!"), ("time", "since until")),
)
_WHOLE = (*_OF_OBJECT, *_declared(("object", "object!")))
_PATCHED = (*_OF_OBJECT, *_declared(("list", "patch!")))

TYPES: dict[str, tuple[Member, ...]] = {
    "HEADER": _HEADER,
    "RESUME": (*_HEADER, *_declared(("number", "after"))),
    "STREAM": _declared(
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
    "GAP": (*_PATCHED, *_declared(("text", "uid! resourceVersion!"))),
    "GAP of a stream": (
        *_CHANGE,
        *_declared(("time", "since! until!"), ("list", "patch")),
    ),
    "KEYS": _declared(
        ("number", "stream!"), ("text", "path!"), ("list of names", "members!")
    ),
    "LISTED": _declared(("number", "stream! objects")),
    "REFUSED": _declared(("number", "stream!"), ("text", "message reason")),
    "HORIZON": _declared(
        ("number", "stream writes"),
        ("time", "first exact"),
        ("boolean", "whole"),
        ("text", "reason"),
    ),
    "PAST": _declared(
        ("number", "stream!"),
        ("text", "apiVersion! kind! namespace uid origin! source"),
        ("name of an object", "name!"),
        ("time", "until"),
        ("boolean", "approximate"),
        ("list of texts", "managers fields"),
        ("list", "patch"),
    ),
    "RECONNECT": _declared(("text", "message state"), ("number", "stream")),
    "LOG": _declared(
        ("text", "namespace name uid container containerID"),
        ("list of texts", "lines!"),
        ("boolean", "cut"),
    ),
    "END": _declared(("text", "reason")),
}
"""The members of each type beside `seq`, `time`, `type` and `crc32`.

docs/recording-format.md says what they mean, and a test compares it with this.
"""

_USUAL = {"MODIFIED": ("patch", list), "ADDED": ("object", dict)}
_TEXTS = itemgetter("time", "apiVersion", "kind", "name", "uid", "resourceVersion")
_RARE = frozenset({"since", "until", "written", "edited"})


def check_members(line: JSON) -> None:
    """Raise BadLine if a member of *line* is missing, or of another type."""
    try:  # most lines are like this
        member, kind = _USUAL[line["type"]]
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
        raise lines.BadLine("it has no seq, time and type")
    kind = line["type"]
    if kind == "GAP" and "name" not in line and "uid" not in line:
        kind = "GAP of a stream"
    members = TYPES.get(kind, ())
    for name, what, _ in members:
        value = line.get(name)
        if value is not None and not _KINDS[what](value):
            raise lines.BadLine(f"its {name} is no {what}")
    for name, _, needed in members:
        if needed and line.get(name) is None:
            raise lines.BadLine(f"it has no {name}")


def check_document(document: JSON) -> None:
    """Raise BadLine if *document* is no object with names, as all that is recorded.

    Its names may differ from those of its line, if a server said so.
    """
    if type(document) is not dict:
        raise lines.BadLine("its object is none")
    metadata = document.get("metadata")
    if not (
        type(metadata) is dict
        and type(metadata.get("name", "")) is str
        and type(metadata.get("namespace", "")) is str
        and type(metadata.get("uid", "")) is str
    ):
        raise lines.BadLine("its object has no metadata with names")
