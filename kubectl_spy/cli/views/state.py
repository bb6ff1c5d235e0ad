"""Print one state of a recorded object: the view of `show`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.points import point_of, points_of
from kubectl_spy.cli.run.reading import (
    check_damages,
    not_in,
    opened,
    see_contents,
    tell_damages,
)
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.core.changes.points import AtVersion, First, Last, Point
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import json_lines, yaml_lines
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_at import NotRecorded, RecordedObject
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.seeking import seek
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.wanted import Wanted


def print_state(flags: Mapping[str, Any], terminal: Terminal) -> None:
    """Print an object as it was. Raises SpyError if it was not there."""
    point_of(flags["point"])
    recording = opened(flags["file"], terminal)
    (point,) = points_of([flags["point"]], recording, terminal)
    state = object_at(recording, flags, flags["target"], point, terminal)
    terminal.write_utf8()
    as_json = flags["output"] == "json"
    lines = json_lines(state.document) if as_json else yaml_lines(state.document)
    terminal.write("\n".join(lines) + "\n")
    check_damages(recording, terminal)


def object_at(
    recording: Recording,
    flags: Mapping[str, Any],
    words: tuple[str, ...],
    point: Point,
    terminal: Terminal,
) -> RecordedObject:
    wanted = wanted_of(words, flags["namespace"])
    try:
        return seek(recording, wanted, point)
    except NotRecorded:
        check_damages(recording, terminal)
        wanted.check(recording.declared)
        raise _not_seen(recording, wanted, point, flags, terminal) from None
    except SpyError:
        tell_damages(recording, terminal, 0)
        raise


def _not_seen(
    recording: Recording,
    wanted: Wanted,
    point: Point,
    flags: Mapping[str, Any],
    terminal: Terminal,
) -> SpyError:
    """Return the error that the recording has no state at *point*, with the reason."""
    name = recording.name
    what = described_together(list(wanted.among(recording.declared))) or "object"
    where = f" in namespace {flags['namespace']}" if flags["namespace"] else ""
    nothing = not_in(recording, wanted, f"{inert(name)} holds no {what}{where}")
    if isinstance(point, First | Last):
        return nothing
    if is_read_once(name):
        return SpyError(
            f"{what} was not seen up to that point", "choose a later one, or first"
        )
    whole = Recording(name)
    try:
        first = seek(whole, wanted, First()).record
    except NotRecorded:
        check_damages(whole, terminal)
        return nothing
    label = f"{first.gvk.printed}/{first.name}"
    if isinstance(point, AtVersion):
        return SpyError(
            f"no version {point.resource_version} of {label} was recorded",
            see_contents(name, "replay {} --instant -o json"),
        )
    check_damages(whole, terminal)
    return SpyError(
        f"{label} was seen first at {rfc3339(first.time)}, and nothing is known of it "
        "before",
        "use the point first, or a later one",
    )
