"""The recordings that are mutated: recorded incidents, and one with every line type."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import BadLine
from tests.builders import event, pod
from tests.recordings import ORIGIN, START, first_list, record

Line = dict[str, Any]

_INCIDENTS = Path("tests/core/summary/incidents")
_OBJECTS = 7  # of an incident, at most
_LINES = 60  # about them, at most


def files_in(directory: Path | None) -> list[Path]:
    """Return the recordings in *directory*, or the incidents of the tests."""
    root = directory or Path(__file__).parents[2] / _INCIDENTS
    files = sorted(each for each in root.iterdir() if each.is_file())
    return [each for each in files if each.name.endswith((".spy", ".spy.gz"))]


def lines_in(file: Path) -> list[Line]:
    """Return the lines of *file* that can be read."""
    raw = file.read_bytes()
    if raw.startswith(b"\x1f\x8b"):
        raw = gzip.decompress(raw)
    lines = []
    for each in raw.splitlines(keepends=True):
        try:
            lines.append(decode(each))
        except BadLine:
            continue
    return lines


def part_of(lines: list[Line], chance: Random) -> list[Line]:
    """Return a small recording: the lines about a few objects, with new numbers."""
    names = list(dict.fromkeys(filter(None, map(_object, lines))))
    weights = [1 if name[1] == "Event" else 20 for name in names]
    kept = set(chance.choices(names, weights, k=_OBJECTS)) if names else set()
    left = _LINES
    part = []
    for line in lines:
        name = _object(line)
        left -= name in kept
        if name is None or (name in kept and left > 0):
            part.append(line)
    return renumbered(owned(part))


def renumbered(lines: Iterable[Line]) -> list[Line]:
    """Return *lines* with numbers without a hole."""
    return [{**line, "seq": number} for number, line in enumerate(lines, 1)]


def owned(lines: list[Line]) -> list[Line]:
    """Return *lines* as if all that is owned was recorded: `trace` asks for that."""
    return [
        {**line, "owned": True} if line["type"] == "HEADER" else line for line in lines
    ]


def _object(line: Line) -> tuple[str, ...] | None:
    named = [line.get(each) for each in ("stream", "kind", "namespace", "name")]
    return tuple(map(str, named)) if line.get("name") and "uid" in line else None


def every_type() -> list[Line]:
    """Return a recording with lines of every type."""
    events = [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=START),
        event("MODIFIED", pod("a", rv="3", phase="Running"), time=START + 1),
        event("ADDED", pod("c", rv="4"), time=START + 2),
        event("DELETED", pod("b", rv="6", phase="Running"), time=START + 4),
        event("ADDED", pod("b", rv="7", uid="uid-b2"), time=START + 5),
        event("LISTING", time=START + 20, since=START + 5, lost=True),
        event("LISTED", pod("a", rv="8", phase="Failed"), time=START + 20),
        event("LISTED", pod("b", rv="9", uid="uid-b2"), time=START + 25),
        event("SYNCED", time=START + 25),
        event("MODIFIED", pod("a", rv="10", phase="Running"), time=START + 30),
    ]
    with TemporaryDirectory() as directory:
        raw = record(
            Path(directory) / "f.spy", events, origin=ORIGIN._replace(owned=True)
        )
    lines = [decode(each) for each in raw]
    *before, last = lines
    return renumbered([*before, *map(_at(last["time"]), _others(lines)), last])


def _at(time: str) -> Any:
    return lambda line: {"seq": 0, "time": time, **line}


def _others(lines: list[Line]) -> list[Line]:
    """Return lines of the types that are rare."""
    stream = {"stream": 1}
    added = next(line for line in lines if line["type"] == "ADDED")
    snapshot = {**added, "type": "SNAPSHOT"}
    snapshot.pop("initial", None)
    return [
        {"type": "KEYS", **stream, "path": "/spec/containers", "members": ["name"]},
        {"type": "HORIZON", **stream, "writes": 3, "first": added["time"]},
        {"type": "REFUSED", **stream, "message": "forbidden"},
        {"type": "RECONNECT", **stream, "message": "the watch of pods broke"},
        {"type": "RECONNECT", **stream, "message": "note: no list of nodes came"},
        {
            "type": "LOG",
            "namespace": "default",
            "name": "a",
            "uid": "uid-a",
            "container": "app",
            "containerID": "containerd://1",
            "lines": ["panic: no disk"],
            "cut": False,
        },
        {each: snapshot[each] for each in snapshot if each not in ("seq", "time")},
    ]
