"""Print a recorded object, or the patch between two states: `show` and `diff`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.points import point_of, points_of
from kubectl_spy.cli.run.reading import (
    check_damages,
    not_in,
    opened,
    progress,
    see_contents,
    tell_damages,
)
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.core.changes.masking import incomparable
from kubectl_spy.core.changes.points import AtVersion, First, Last, Point
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import json_lines, yaml_lines
from kubectl_spy.render.moments import clock, day_and_clock
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_at import NotRecorded, RecordedObject
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.seeking import seek
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.wanted import Wanted

if TYPE_CHECKING:
    from kubectl_spy.core.changes.blame import Blame, Leaf


def print_state(flags: Mapping[str, Any], terminal: Terminal) -> None:
    """Print an object as it was.

    Raises SpyError if it was not there, or the recording is damaged.
    """
    point_of(flags["point"])
    recording = opened(flags["file"], terminal)
    (point,) = points_of([flags["point"]], recording, terminal)
    state = object_at(recording, flags, flags["target"], point, terminal)
    terminal.write_utf8()
    view = Excerpt(only=flags["only"], ignore=flags["ignore"])
    lines_of = json_lines if flags["output"] == "json" else yaml_lines
    shown = view.document(state.document)
    if not shown:
        only = ", ".join(map(pointer.join, flags["only"]))
        raise SpyError(inert(f"{state.record.label} has nothing at {only}"))
    lines = lines_of(shown)
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
    if isinstance(point, AtVersion):
        return SpyError(
            f"no version {point.resource_version} of {first.label} was recorded",
            see_contents(name, "spy replay {} --instant -o json"),
        )
    check_damages(whole, terminal)
    return SpyError(
        f"{first.label} was seen first at {rfc3339(first.time)}, and nothing is known "
        "of it before",
        "use the point first, or a later one",
    )


def print_difference(flags: Mapping[str, Any], terminal: Terminal) -> bool:
    """Print the patch between two states. Return whether they differ.

    Raises SpyError if one of them was not recorded, or the recording is damaged.
    """
    words = flags["words"]
    if flags["semantic"] and flags["output"] != "text":
        raise UsageError("--semantic prints text only", "leave out -o")
    if flags.get("who") and (flags["semantic"] or flags["output"] != "text"):
        raise UsageError("--who is for patches as text", "leave out -o and --semantic")
    if len(words) < 2:
        raise UsageError("diff needs two points", "for example: first last")
    for word in words[-2:]:
        point_of(word)
    if is_read_once(flags["file"]):
        raise UsageError(
            "diff reads its file twice, and a pipe can be read once",
            "save it to a file first",
        )
    recordings = [Recording(flags["file"]) for _ in range(2)]
    points = points_of(words[-2:], recordings[0], terminal)
    old, new = (
        object_at(recording, flags, words[:-2], point, terminal)
        for recording, point in zip(recordings, points, strict=True)
    )
    if old.record.seq > new.record.seq:
        first, last = words[-2:]
        terminal.say(
            inert(f"note: {first} is later than {last}: this goes back in time")
        )
    blame = _blame(flags, words[:-2], new, terminal) if flags.get("who") else None
    differs = compare(flags, old, new, terminal, blame)
    # Both read one file. The one that read further found more damages.
    check_damages(max(recordings, key=lambda each: len(each.damages)), terminal)
    return differs


def compare(
    flags: Mapping[str, Any],
    old: RecordedObject,
    new: RecordedObject,
    terminal: Terminal,
    blame: Blame | None = None,
) -> bool:
    """Print the patch from *old* to *new*, or how they differ by meaning.

    *blame* is who wrote *new*. Return whether they differ. Raises SpyError if they are
    nested too deeply.
    """
    try:
        before, after = _comparable(old, new, terminal)
    except RecursionError:
        raise SpyError(
            "both states hold masked values, and are nested too deeply to compare"
        ) from None
    view = Excerpt(only=flags["only"], ignore=flags["ignore"])
    before, after = view.document(before), view.document(after)
    between = _meaning if flags["semantic"] else operations_between
    patch = between(before, after)
    if patch and flags["output"] == "text":
        terminal.write(f"{_headline(old.record, new.record)}\n")
    _print_patch(flags, patch, blame, terminal)
    return bool(patch)


def _comparable(
    old: RecordedObject, new: RecordedObject, terminal: Terminal
) -> tuple[JSON, JSON]:
    """Return both documents. Values masked with different keys are made equal."""
    if old.epoch == new.epoch or not (old.masked or new.masked):
        return old.document, new.document

    before, after, count = incomparable(old.document, new.document)
    if count:
        terminal.say(
            f"note: {many(count, 'value')} masked, cannot compare: recorded "
            "in different runs"
        )
    return before, after


def _headline(old: ChangeRecord, new: ChangeRecord) -> str:
    """Return whose states are compared, of when, and who likely wrote each."""
    (day, _), (later, _) = (day_and_clock(each.time) for each in (old, new))

    def state(record: ChangeRecord) -> str:
        when, clock = day_and_clock(record.time)
        date = f"{when} " if day != later else ""
        by = f" by {', '.join(record.managers)}" if record.managers else ""
        return f"{date}{clock} rv:{record.resource_version}{by}"

    return inert(f"{new.label}  {state(old)} → {state(new)}")


def _blame(
    flags: Mapping[str, Any],
    words: tuple[str, ...],
    state: RecordedObject,
    terminal: Terminal,
) -> Blame:
    """Return who wrote each field of *state* last."""
    from kubectl_spy.core.changes.blame import Blame

    wanted, blame = wanted_of(words, flags["namespace"]), Blame()
    recording = Recording(flags["file"])
    with progress(recording, terminal):
        for item in recording:
            if isinstance(item, ChangeRecord) and not item.of_stream and item in wanted:
                if item.seq > state.record.seq:
                    break
                blame.observe(item)
    return blame


def _who(leaves: list[Leaf], step: PatchOperation) -> str:
    """Return who wrote what *step* changed, and when, for the end of its line.

    *leaves* are the fields of the new state, and who wrote each last.
    """
    below = f"{step.path}/"
    writes = [
        leaf.write
        for leaf in leaves
        if f"{leaf.path}/".startswith(below) and step.op != "remove"
    ]
    names = dict.fromkeys(name for write in writes for name in write.managers)
    times = sorted({write.time for write in writes if write.time is not None})
    if not times:
        return ""
    clocks = dict.fromkeys(map(clock, (times[0], times[-1])))
    likely = "likely " if any(write.likely for write in writes) else ""
    by = f"{likely}by {', '.join(names)} " if names else ""
    return inert(f"  {by}at {' to '.join(clocks)}")


def _print_patch(
    flags: Mapping[str, Any],
    patch: list[PatchOperation],
    blame: Blame | None,
    terminal: Terminal,
) -> None:
    if flags["output"] != "text":
        terminal.write_utf8()
        array = [step.as_json() for step in patch]
        if flags["output"] == "jsonpatch":
            terminal.write(inert(dumps(array).decode()) + "\n")
        else:
            terminal.write("\n".join(yaml_lines(array)) + "\n")
        return
    from kubectl_spy.cli.views.change_records import text_renderer

    renderer = text_renderer(flags["color"], whole=True)
    if blame is None:
        terminal.write(renderer.render_patch(patch))
        return
    from kubectl_spy.core.changes.blame import leaves

    fields = list(leaves(blame.annotated(Excerpt())))
    for step in patch:
        first, _, rest = renderer.render_patch([step]).partition("\n")
        terminal.write(f"{first}{_who(fields, step)}\n{rest}")


def _meaning(before: JSON, after: JSON) -> list[PatchOperation]:
    """Return how the states differ if the order of lists does not matter."""
    from kubectl_spy.core.patch.semantic import semantic_changes

    ops = {"added": "add", "removed": "remove", "repeated": "replace"}
    try:
        return [
            PatchOperation(ops.get(kind, "replace"), path, new, old)
            for kind, path, old, new in semantic_changes(before, after)
        ]
    except RecursionError:
        raise SpyError(
            "the states are nested too deeply to compare by meaning",
            "leave out --semantic",
        ) from None
