"""Mutates the lines of a recording, and writes them with right checksums."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tools.fuzz.originals import Line, renumbered

_RAW = "\x1araw:"  # begins a text that stands for JSON that Python does not write
_FORMS = {
    "1e400": "1e400",
    "-1e400": "-1e400",
    "digits": "9" * 5000,
    **{f"deep{n}": "[" * n + "]" * n for n in (150, 900, 1000, 5000, 100_000)},
    **{f"path{n}": '{"a":' * n + "1" + "}" * n for n in (150, 450, 990, 1000, 100_000)},
}
_FORM = re.compile(r'"\\u001araw:([-\w]+)"')

SPOILS = [
    *("\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "\x85", "\x7f", "\r", "\n", "\t", "\x00"),
    *("\u202e", "\u2066", "\u2028", "\u200f", "\u061c", "\ud800", "\udfff\ud800"),
    *("\ufeff", "'; rm -rf /", "</script>", "<!--", "%s{0}", "x" * 5000, "", " ", "/"),
    *("a/b", "..", "#", "*", "~", "~2", "-", "é日本", "\U0001f680", "\\", '"', "[red]"),
]
_TIMES = [
    *("", "now", "2026-11-21", "2026-11-21T15:04:05", "0000-00-00T00:00:00Z"),
    *("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    *("1969-12-31T23:59:59.999999Z", "9998-12-31T23:59:59.000000Z", "NaN", "-1"),
    *("2026-11-21T15:04:05.170250+23:59", "2026-13-41T25:61:61.000000Z"),
    *("2031-01-01T00:00:00.000000Z", "2001-01-01T00:00:00.000000Z"),
    *("2026-11-21T15:04:05.000000000000001Z", "٢٠٢٦-11-21T15:04:05.000000Z"),
]
_NUMBERS: list[Any] = [
    *(0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400, 1.5, -0.0),
    *(float("nan"), float("inf"), 1e308, f"{_RAW}1e400", f"{_RAW}digits", True),
]
_VALUES: list[Any] = [
    *(None, True, False, [], {}, [[]], [None], [{}], {"": {}}, [1, "a"], "a", ["a"]),
    *({"a": "b"}, [{"name": "a"}], {"name": ["a"]}, [{"type": "Ready"}], "True"),
    *(f"{_RAW}{each}" for each in _FORMS),
]
_TYPES = [
    *("HEADER", "STREAM", "ADDED", "MODIFIED", "DELETED", "LEFT", "GAP", "KEYS"),
    *("LISTED", "REFUSED", "SNAPSHOT", "HORIZON", "RECONNECT", "LOG", "RESUME", "END"),
    *("MOOD", "", "added"),
]
_PATHS = [
    *(
        "",
        "/",
        "//",
        "/metadata",
        "/metadata/name",
        "/metadata/uid",
        "/kind",
        "/status",
    ),
    *("/metadata/name/x", "/metadata/labels/a/b/c", "/spec/containers/-", "a", "/~2"),
    *("/spec/containers/0/image/x", "/spec/containers/99", "/spec/containers/01"),
    *("/spec/containers/-1", "/spec/containers/²", "/a" * 1000, "/0" * 5000),
    *("/spec", "/status/conditions", "/status/conditions/0", "/apiVersion"),
    *("/metadata/namespace", "/metadata/ownerReferences", "/metadata/managedFields"),
]

Holder = tuple[Any, Any]
"""A container, and a key or an index in it."""


def hostile(chance: Random) -> Any:
    """Return a value that a recorder would not write there."""
    return chance.choice(chance.choice([_VALUES, _NUMBERS, [*_TIMES], [*SPOILS]]))


def _places(value: Any) -> Iterator[Holder]:
    todo = [value]
    while todo:
        holder = todo.pop()
        members = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, member in members:
            yield holder, key
            if isinstance(member, (dict, list)):
                todo.append(member)


def _of_type(chance: Random, lines: list[Line], *types: str) -> Line:
    """Return a line, of one of these *types* if there is any."""
    chosen = [each for each in lines if each.get("type") in types]
    return chance.choice(chosen or lines)


def _any(chance: Random, lines: list[Line]) -> Line:
    """Return a line, of any type as often as of any other."""
    kinds = list(dict.fromkeys(str(each.get("type")) for each in lines))
    return _of_type(chance, lines, chance.choice(kinds))


def drop_member(chance: Random, lines: list[Line]) -> None:
    line = _any(chance, lines)
    line.pop(chance.choice(list(line)), None)


def replace_member(chance: Random, lines: list[Line]) -> None:
    line = _any(chance, lines)
    line[chance.choice(list(line))] = hostile(chance)


def reorder_members(chance: Random, lines: list[Line]) -> None:
    line = _any(chance, lines)
    members = list(line.items())
    chance.shuffle(members)
    line.clear()
    line.update(members)


def replace_inside(chance: Random, lines: list[Line]) -> None:
    """Replace or remove anything in a document, a patch or a header."""
    line = _of_type(chance, lines, *chance.choice([_WHOLE, _PATCHED, ("HEADER",)]))
    inside = [each for each in line.values() if isinstance(each, (dict, list)) and each]
    if inside:
        holder, key = chance.choice(list(_places(chance.choice(inside))))
        if chance.random() < 0.25:
            del holder[key]
        else:
            holder[key] = hostile(chance)


_WHOLE, _PATCHED = ("ADDED", "SNAPSHOT"), ("MODIFIED", "GAP")
_LOOKED_AT = re.compile(
    "conditions|metadata|name|type|status|reason|message|containers?|spec|uid|kind|"
    "ownerReferences|involvedObject|managers?|phase|state|.*[tT]ime.*|.*[sS]tatuses|"
    "ports?|selector|replicas|labels|count|series|.*Timestamp|deletion.*|restart.*"
)


def replace_field(chance: Random, lines: list[Line]) -> None:
    """Replace a field that diagnoses look at."""
    line = _of_type(chance, lines, *chance.choice([_WHOLE, _PATCHED]))
    found = [
        (holder, key)
        for holder, key in _places(line.get("object") or line.get("patch") or [])
        if isinstance(key, str) and _LOOKED_AT.fullmatch(key)
    ]
    if found:
        holder, key = chance.choice(found)
        holder[key] = hostile(chance)


def spoil_text(chance: Random, lines: list[Line]) -> None:
    """Write control characters and the like into texts, the same in all lines."""
    line = _any(chance, lines)
    texts = [(h, k) for h, k in _places(line) if isinstance(h[k], str)]
    texts = [each for each in texts if each[1] not in ("type", "time")] or texts
    holder, key = chance.choice(texts)
    old, spoil = holder[key], chance.choice(SPOILS)
    at = chance.randrange(len(old) + 1)
    new = chance.choice([spoil, old[:at] + spoil + old[at:]])
    everywhere = lines if chance.random() < 0.5 else [line]
    for each in everywhere:
        for holder, key in list(_places(each)):
            if holder[key] == old and isinstance(holder[key], str) and key != "type":
                holder[key] = new


def spoil_key(chance: Random, lines: list[Line]) -> None:
    line = _any(chance, lines)
    keys = [(h, k) for h, k in _places(line) if isinstance(h, dict)]
    holder, key = chance.choice(keys)
    value = holder.pop(key)
    holder[chance.choice([chance.choice(SPOILS), key + chance.choice(SPOILS)])] = value


def never_add(chance: Random, lines: list[Line]) -> None:
    """Leave out the ADDED of an object."""
    line = _of_type(chance, lines, "ADDED")
    lines[:] = renumbered(each for each in lines if each is not line)


def other_identity(chance: Random, lines: list[Line]) -> None:
    """Give a line about an object the names of another one, or new ones."""
    line = _of_type(chance, lines, "MODIFIED", "DELETED", "SNAPSHOT", "GAP", "LEFT")
    other = _of_type(chance, lines, "ADDED")
    members = ("namespace", "name", "kind", "uid", "apiVersion", "stream")
    for member in chance.sample(members, chance.choice([1, 1, 2, 6])):
        value = chance.choice([other.get(member), "other", hostile(chance)])
        line[member] = value


def other_identity_inside(chance: Random, lines: list[Line]) -> None:
    """Give a document other names than its line."""
    line = _of_type(chance, lines, *_WHOLE)
    document = line.get("object")
    if isinstance(document, dict):
        holder = document.get("metadata")
        member = chance.choice(["namespace", "name", "uid", "resourceVersion"])
        if not isinstance(holder, dict) or chance.random() < 0.3:
            holder, member = document, chance.choice(["kind", "apiVersion", "metadata"])
        holder[member] = chance.choice(["other", hostile(chance)])


def other_patch(chance: Random, lines: list[Line]) -> None:
    """Lead a patch through values, out of lists and to what identifies an object."""
    line = _of_type(chance, lines, *_PATCHED)
    patch = line.get("patch")
    if not isinstance(patch, list) or not patch or chance.random() < 0.2:
        line["patch"] = patch = [{"op": "add", "path": "/metadata/x", "value": 1}]
    step = chance.choice(patch)
    if not isinstance(step, dict):
        return
    path = str(step.get("path"))
    paths = [chance.choice(_PATHS), f"{path}/x", f"{path}/0/x", path.rpartition("/")[0]]
    member = chance.choice(["path", "path", "path", "op", "value", "from", "label"])
    if member == "op":
        step["op"] = chance.choice(["remove", "add", "replace", "move", "copy", "test"])
        step.setdefault("from", chance.choice(paths))
        step.setdefault("value", hostile(chance))
    elif member in ("path", "from"):
        step[member] = chance.choice(paths)
    else:
        step[member] = hostile(chance)


def other_numbers(chance: Random, lines: list[Line]) -> None:
    line = _any(chance, lines)
    member = chance.choice(["seq", "time", "stream", "time", "objects", "segment"])
    line[member] = chance.choice(_TIMES if member == "time" else _NUMBERS)


def other_times(chance: Random, lines: list[Line]) -> None:
    """Replace a time anywhere, also in documents."""
    line = _any(chance, lines)
    times = [
        (holder, key)
        for holder, key in _places(line)
        if isinstance(holder[key], str) and re.match(r"\d{4}-\d\d-", holder[key])
    ]
    if times:
        holder, key = chance.choice(times)
        holder[key] = chance.choice(_TIMES)


def other_versions(chance: Random, lines: list[Line]) -> None:
    line = _of_type(chance, lines, *_PATCHED, *_WHOLE, "DELETED")
    other = _of_type(chance, lines, *_PATCHED, *_WHOLE)
    member = chance.choice(["resourceVersion", "previous"])
    line[member] = chance.choice([other.get("resourceVersion"), "x", hostile(chance)])


def other_type(chance: Random, lines: list[Line]) -> None:
    _any(chance, lines)["type"] = chance.choice(_TYPES)


def insert_line(chance: Random, lines: list[Line]) -> None:
    """Insert a line of any type with members of others."""
    like, other = _any(chance, lines), _any(chance, lines)
    line = {**like, "type": chance.choice([*_TYPES, like.get("type")])}
    for member in chance.sample(list(other), min(len(other), 2)):
        line[member] = other[member]
    lines.insert(chance.randrange(1, len(lines) + 1), json.loads(_written(line)))
    if chance.random() < 0.8:
        lines[:] = renumbered(lines)


def shuffle_lines(chance: Random, lines: list[Line]) -> None:
    """Drop, double, swap or move lines."""
    at, to = (chance.randrange(len(lines)) for _ in range(2))
    how = chance.choice(["drop", "double", "swap", "move", "drop many"])
    if how == "drop":
        del lines[at]
    elif how == "drop many":
        del lines[at : at + chance.randrange(10)]
    elif how == "double":
        lines.insert(to, json.loads(_written(lines[at])))
    elif how == "swap":
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines.insert(to, lines.pop(at))
    if chance.random() < 0.3:
        lines[:] = renumbered(lines)


def drop_ends(chance: Random, lines: list[Line]) -> None:
    """Leave out the header, the end, or what both say."""
    kinds = chance.choice([("HEADER",), ("END",), ("HEADER", "END"), ("STREAM",)])
    lines[:] = [each for each in lines if each.get("type") not in kinds] or lines
    if chance.random() < 0.3:
        lines[:] = renumbered(lines)


MUTATIONS: list[Callable[[Random, list[Line]], None]] = [
    *(drop_member, replace_member, reorder_members, replace_inside, replace_inside),
    *(replace_field, replace_field, replace_field, spoil_text, spoil_text, spoil_key),
    *(never_add, other_identity, other_identity_inside, other_patch, other_patch),
    *(other_numbers, other_times, other_versions, other_type, insert_line),
    *(shuffle_lines, drop_ends),
]


def _written(line: Line) -> str:
    return json.dumps(line, separators=(",", ":"))


def sealed(line: Line) -> bytes:
    """Return *line* as a recorder would write it, whatever it says."""
    text = _FORM.sub(lambda found: _FORMS[found[1]], _written(line))
    body = text.encode()[:-1]
    return body + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def mutated(chance: Random, original: list[Line]) -> tuple[bytes, list[str]]:
    """Return the bytes of a mutant, and what was done to it."""
    lines = json.loads(json.dumps(original))
    done = []
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3])):
        mutate = chance.choice(MUTATIONS)
        mutate(chance, lines)
        done.append(mutate.__name__)
    raw = b"".join(map(sealed, lines))
    if chance.random() < 0.15:
        raw = _damaged(chance, raw)
        done.append("bytes")
    if chance.random() < 0.05:
        raw = gzip.compress(raw, 1)
        if chance.random() < 0.5:
            raw = _damaged(chance, raw)
        done.append("gzip")
    return raw, done


def _damaged(chance: Random, raw: bytes) -> bytes:
    """Return *raw* with other bytes at a few places, or torn."""
    if not raw:
        return raw
    if chance.random() < 0.3:
        return raw[: chance.randrange(len(raw))]
    spoiled = bytearray(raw)
    for _ in range(chance.choice([1, 1, 3, 20])):
        at = chance.randrange(len(spoiled))
        new = chance.choice([b"", b"\n", b"\0", b"\xff", b'"', chance.randbytes(3)])
        spoiled[at : at + chance.choice([0, 1, 1, 50])] = new
        if not spoiled:
            break
    return bytes(spoiled)
