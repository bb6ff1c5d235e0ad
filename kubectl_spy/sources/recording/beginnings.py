"""What lines say of objects at their beginnings: all but patches and documents."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.changes.recording_format import (
    BETWEEN,
    CHANGES,
    HEAD,
    BadLine,
    decode,
    is_sealed,
    stream_of,
)
from kubectl_spy.core.changes.repeats import Sighting

OF_OBJECTS = CHANGES | {"SNAPSHOT"}
"""The types of lines about objects. A GAP without a name is about a stream."""
_GONE = ("DELETED", "LEFT", b"DELETED", b"LEFT")
_BODIES = {
    b"ADDED": b',"object":{',
    b"SNAPSHOT": b',"object":{',
    b"MODIFIED": b',"patch":[',
    b"DELETED": b"",
    b"LEFT": b"",
}
"""What lines have that need not be parsed, by type. A GAP is."""
_KEY = ("apiVersion", "kind", "namespace", "name")


def beginning_of(raw: bytes) -> dict[str, Any]:
    """Return what an index needs of a line. Raises BadLine."""
    found = HEAD.match(raw)
    if found is None or not is_sealed(raw):
        return _whole(decode(raw))
    seq, moment, kind, *key, uid, version = found.groups()
    between, stream = BETWEEN.match(raw, found.end()), stream_of(raw)
    initial, previous = (None, None) if between is None else between.groups()
    has = _BODIES.get(kind)
    if has is None or stream is None or raw.find(has, found.end()) < 0:
        return _whole(decode(raw))
    if previous is None and kind == b"MODIFIED":
        return _whole(decode(raw))
    if key[2] is None and raw.find(b'"namespace":', found.end()) >= 0:
        return _whole(decode(raw))  # another program may write it later
    identity = uid or b"%b/%b/%b" % (key[1], key[2] or b"", key[3])
    try:
        return {
            "seq": int(seq),
            "time": moment.decode(),
            "type": kind.decode(),
            "stream": stream,
            "name": key[3],
            "key": tuple(key),
            "seen": Sighting(
                identity.decode(),
                version.decode(),
                initial is not None,
                kind in _GONE,
            ),
            "previous": None if previous is None else previous.decode(),
        }
    except UnicodeDecodeError:
        raise BadLine("it is not JSON") from None


def _whole(line: dict[str, Any]) -> dict[str, Any]:
    """Return a decoded *line* with the same members."""
    if line["type"] not in OF_OBJECTS:
        return line
    key = [None if (part := line.get(each)) is None else _utf8(part) for each in _KEY]
    kind, namespace, name = (str(line.get(each) or "") for each in _KEY[1:])
    previous = line.get("previous")
    return {
        **{each: line.get(each) for each in ("seq", "time", "type", "stream")},
        "name": name,
        "key": tuple(key),
        "seen": Sighting(
            str(line.get("uid") or "") or f"{kind}/{namespace}/{name}",
            str(line.get("resourceVersion", "")),
            line.get("initial") is True,
            line["type"] in _GONE,
        ),
        "previous": None if previous is None else str(previous),
    }


def _utf8(value: object) -> bytes:
    return str(value).encode("utf-8", "surrogatepass")


def text_of(raw: bytes) -> str:
    """Return what `_whole` encoded, with lone surrogates, or what is not even UTF-8."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # its JSON cannot be read
        return raw.decode(errors="replace")
