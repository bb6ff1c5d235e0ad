"""Recordings for tests, made by the recorder itself, and damaged on purpose."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kubectl_spy.cli.run.recording import Opened, open_recording
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.changes.recording_format import Origin
from kubectl_spy.core.objects import EventType, Position, Selection, WatchEvent
from kubectl_spy.core.times import rfc3339
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sinks.recording_file import RecordingFile
from kubectl_spy.sinks.resuming import Resumed
from kubectl_spy.sources.recording.recording import Recording
from tests import tracing
from tests.builders import ALL_PODS, bundled, event, pod

START = 1_795_273_445.0
"""2026-11-21T15:04:05Z"""

ORIGIN = Origin(
    tool="test",
    server="v1.36.2",
    context="demo",
    cluster="0123456789abcdef",
    command="changes",
    only=(),
    ignore=(),
    watch_only=False,
    targets=("pods",),
    owned=False,
    secrets="masked",
    epoch="e1",
)


def first_list(*objects: dict[str, Any], **more: Any) -> list[WatchEvent]:
    """Return the events of a first list."""
    listed = [event("LISTED", each, **more) for each in objects]
    return [event("LISTING", **more), *listed, event("SYNCED", **more)]


def story() -> list[WatchEvent]:
    """Return what happens to three Pods: changes, a delete, a new one of that name."""
    at = [START + seconds for seconds in (0, 1, 2.5, 2.75, 4, 5, 60)]
    return [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=at[0]),
        event("MODIFIED", pod("a", rv="3", phase="Running"), time=at[1]),
        event("ADDED", pod("c", rv="4"), time=at[2]),
        event("MODIFIED", pod("b", rv="5", phase="Running"), time=at[3]),
        event("DELETED", pod("b", rv="6", phase="Running"), time=at[4]),
        event("ADDED", pod("b", rv="7", uid="uid-b2"), time=at[5]),
        event("MODIFIED", pod("a", rv="8", phase="Failed"), time=at[6]),
    ]


def recorder_to(
    path: Path,
    history: History,
    *,
    selections: Sequence[Selection] = (ALL_PODS,),
    rotation: Rotation | None = None,
    origin: Origin = ORIGIN,
) -> Recorder:
    """Return what records *history* to a new file."""
    return Recorder(
        RecordingFile.create(path),
        origin,
        selections,
        history=history,
        rotation=rotation or Rotation(),
    )


def items_of(history: History, events: Iterable[WatchEvent]) -> Iterator[Item]:
    """Yield what *events* give in a live run."""
    for each in events:
        yield from history.items(each)


def record(path: Path, events: Iterable[WatchEvent], **more: Any) -> list[bytes]:
    """Record *events* to *path*, and return the lines it holds.

    What the recorder says of itself is dated as the events are, not as the test runs.
    """
    events = list(events)
    history = History()
    recorder = recorder_to(path, history, **more)
    for item in items_of(history, events):
        recorder.observe(item)
    recorder.end("done")
    times = dict.fromkeys(("HEADER", "STREAM"), events[0].time)
    times["END"] = events[-1].time
    lines = path.read_bytes().splitlines(keepends=True)
    for number, raw in enumerate(lines):
        kind = decode(raw)["type"]
        if kind in times:
            lines[number] = resealed(raw, time=rfc3339(times[kind]))
    path.write_bytes(b"".join(lines))
    return lines


def record_stream(stream: str, path: Path) -> None:
    """Record *stream* as `record all --owned` does, with the times of its cluster."""
    recording = bundled(stream)
    asked = {
        of: selection._replace(asked=True)
        for of, selection in tracing.selections_of(recording).items()
    }
    events = [WatchEvent(EventType.LISTING, each, START) for each in asked.values()]
    events += [
        WatchEvent(EventType.LISTED, asked[of], START, document)
        for of, document in recording.initial
        if of in asked
    ]
    events += [WatchEvent(EventType.SYNCED, each, START) for each in asked.values()]
    for step in recording.steps:
        kind = EventType.DELETED if step.deleted else EventType.MODIFIED
        at = START + step.time
        events.append(WatchEvent(kind, asked[step.collection], at, step.object))
    origin = ORIGIN._replace(owned=True, targets=("all",))
    selections = list(asked.values())
    record(path, events, selections=selections, origin=origin)


def continue_with(
    path: Path,
    events: Iterable[WatchEvent],
    *,
    selections: Sequence[Selection] = (ALL_PODS,),
    origin: Origin = ORIGIN,
    rotation: Rotation | None = None,
) -> None:
    """Record *events* to *path*, as `record --append` does."""
    opened = open_recording(
        path, origin.cluster, append=True, rotates=rotation is not None
    )
    _continue(opened, opened.resumed, selections, events, origin, rotation)


def go_on(path: Path, events: Sequence[WatchEvent]) -> None:
    """Record *events* to *path*, where a past list of each stream comes first."""
    opened = open_recording(path, ORIGIN.cluster, append=True, rotates=False)
    assert opened.resumed is not None
    positions: dict[Selection, Position] = {}
    for each in events:
        if each.version:
            at = Position(each.version, each.since or 0.0)
            positions.setdefault(each.selection, at)
    resumed = opened.resumed._replace(positions=positions)
    _continue(opened, resumed, list(positions), events, ORIGIN, None)


def _continue(
    opened: Opened,
    resumed: Resumed | None,
    selections: Sequence[Selection],
    events: Iterable[WatchEvent],
    origin: Origin,
    rotation: Rotation | None,
) -> None:
    history = History()
    recorder = Recorder(
        opened.file,
        origin,
        selections,
        history=history,
        rotation=rotation or Rotation(),
        resumed=resumed,
        segments=opened.segments,
    )
    for item in items_of(history, events):
        recorder.observe(item)
    recorder.end("done")


def sealed(line: dict[str, Any]) -> bytes:
    """Return *line* as the format says, by no code of ours."""
    body = json.dumps(line, separators=(",", ":")).encode()[:-1]
    return body + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def resealed(raw: bytes, **members: Any) -> bytes:
    """Return the line in *raw* with other *members*, as if it was written so."""
    return sealed({**decode(raw), **members})


def killed(lines: Sequence[bytes], after: int) -> list[bytes]:
    """Return two runs as if the first one was killed, and had noted line *after*."""
    begun = next(n for n, raw in enumerate(lines) if decode(raw)["type"] == "RESUME")
    first = resealed(lines[begun], seq=1_000_001, after=after)
    rest = [
        resealed(raw, seq=1_000_002 + number)
        for number, raw in enumerate(lines[begun + 1 :])
    ]
    return [*lines[: begun - 1], first, *rest]


def versions_in(file: Path) -> list[ChangeRecord]:
    """Return the change records of the recording in *file*."""
    return [each for each in Recording(str(file)) if isinstance(each, ChangeRecord)]
