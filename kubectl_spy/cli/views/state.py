"""Print a recorded object as it was: `show`."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.reading import (
    check_damages,
    not_in,
    opened,
    see_contents,
    see_versions,
    tell_damages,
)
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.cli.run.window import point_of, points_of
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.points import AtVersion, First, Last, Point
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.cluster.selectors import Selectors
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.machine import json_lines, yaml_lines
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.states import (
    NotRecorded,
    RecordedObject,
    several,
    snapshots,
    state_at,
)
from kubectl_spy.terms import option


class OneObject(NamedTuple):
    """One object of a recording: what a target and selectors choose."""

    file: str
    words: tuple[str, ...]  # The target as typed. If empty, there is one object only.
    namespace: str | None
    selectors: Selectors


def print_state(
    asked: OneObject, word: str, excerpt: Excerpt, output: str, terminal: Terminal
) -> None:
    """Print an object as it was at the point *word*, as yaml or json.

    Raises SpyError if it was not there, or the recording is damaged.
    """
    point_of(word)
    if len(wanted_of(asked.words, asked.namespace).absent) > 1:
        raise UsageError(
            f"show prints one object, and {' '.join(asked.words)} are several",
            f"when it is, {option('--at')} says, as in {option('--at')} first",
        )
    recording = opened(asked.file, terminal)
    (point,) = points_of([word], recording, terminal)
    wanted = chosen(asked, point)
    state = object_at(recording, asked, wanted, point, terminal)
    if isinstance(point, Last) and terminal.shows_progress:  # perhaps not the one meant
        when = " ".join(day_and_clock(state.record.time))
        note = f"{state.record.label} as of {when}; {option('--at')} shows another time"
        terminal.say(note)
    terminal.write_utf8()
    lines_of = json_lines if output == "json" else yaml_lines
    shown = excerpt.document(state.document)
    if not shown:
        only = ", ".join(map(pointer.join, excerpt.only))
        raise SpyError(f"{state.record.label} has nothing at {only}")
    lines = lines_of(shown)
    terminal.write("\n".join(lines) + "\n")
    check_damages(recording, terminal)


def chosen(asked: OneObject, point: Point) -> ObjectFilter:
    """Return a filter for the one object that *asked* chooses.

    It is the one that matches at *point*, or at the end if that is `first`. Raises
    SpyError if none matches, or several do.
    """
    wanted = wanted_of(asked.words, asked.namespace)
    if not asked.selectors:
        return wanted
    if is_read_once(asked.file):
        raise UsageError(
            "with -l the file is read twice, and a pipe can be read once",
            "save it to a file first",
        )
    recording = Recording(asked.file)
    point = Last() if isinstance(point, First) else point
    (held,) = snapshots(recording, [(wanted, point)])
    records = (each.record for each in held.states)
    matching = list(filter(asked.selectors.match, records))
    if not matching:
        raise SpyError(
            "no object matches the selectors at that point",
            see_contents(recording.file),
            code="not-found",
        )
    if len(matching) > 1:
        one, other = ((each.label, each.namespace) for each in matching[:2])
        raise several(recording, one, other)
    return wanted_of((matching[0].label,), matching[0].namespace)


def object_at(
    recording: Recording,
    asked: OneObject,
    wanted: ObjectFilter,
    point: Point,
    terminal: Terminal,
) -> RecordedObject:
    """Return the *wanted* object at *point*.

    Raises SpyError if it was not there then, with the reason.
    """
    try:
        with closing(Index(recording.file, recording=recording)) as index:
            coverage = index.coverage
            state = state_at(index, wanted, point)
    except NotRecorded:
        check_damages(recording, terminal)
        wanted.check(recording.declared)
        missing = _not_seen(recording, wanted, point, asked, terminal, coverage)
        raise missing from None
    except SpyError:
        tell_damages(recording, terminal, 0)
        raise
    if state.unknown:
        what = f"{state.record.label} may have changed before that point"
        terminal.say(f"warning: {what}: {state.unknown.why}")
    return state


def _not_seen(
    recording: Recording,
    wanted: ObjectFilter,
    point: Point,
    asked: OneObject,
    terminal: Terminal,
    coverage: Coverage,
) -> SpyError:
    """Return the error that the recording has no state at *point*, with the reason."""
    name = recording.file
    what = described_together(list(wanted.among(recording.declared))) or "object"
    where = f" in namespace {asked.namespace}" if asked.namespace else ""
    message = f"{recording.name} holds no {what}{where}"
    nothing = not_in(recording, wanted, message, coverage)
    if isinstance(point, First | Last):
        return nothing
    if recording.read_once:
        return SpyError(
            f"{what} was not seen up to that point", "choose a later one, or first"
        )
    whole = Recording(name)
    try:
        with closing(Index(name, recording=whole)) as index:
            first = state_at(index, wanted, First()).record
    except NotRecorded:
        check_damages(whole, terminal)
        return nothing
    if isinstance(point, AtVersion):
        return SpyError(
            f"no version {point.resource_version} of {first.label} was recorded",
            see_versions(name),
            code="not-found",
        )
    check_damages(whole, terminal)
    return SpyError(
        f"{first.label} was seen first at {rfc3339(first.time)}, and nothing is known "
        "of it before",
        "use the point first, or a later one",
        code="not-found",
    )
