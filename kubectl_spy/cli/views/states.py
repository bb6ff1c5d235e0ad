"""What `show`, `diff` and `verify` do with a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.points import point_of, points_of
from kubectl_spy.cli.run.reading import check_damages, opened, tell_damages
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.cli.views.change_records import text_renderer
from kubectl_spy.core.changes.masking import incomparable
from kubectl_spy.core.changes.points import AtVersion, First, Last, Point
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.changes.view import View
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.document import json_lines, yaml_lines
from kubectl_spy.render.inert import inert
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.seeking import seek
from kubectl_spy.sources.recording.segments import is_read_once, is_segment
from kubectl_spy.sources.recording.states import NotSeen, State
from kubectl_spy.sources.recording.wanted import Wanted


def print_state(flags: Mapping[str, Any], terminal: Terminal) -> None:
    """Print an object as it was.

    Raises:
        SpyError: it was not there, or the recording is damaged.
    """
    point_of(flags["point"])
    recording = opened(flags["file"], terminal)
    (point,) = points_of([flags["point"]], recording, terminal)
    state = _state(recording, flags, flags["target"], point, terminal)
    terminal.write_utf8()
    as_json = flags["output"] == "json"
    lines = json_lines(state.document) if as_json else yaml_lines(state.document)
    terminal.write("\n".join(lines) + "\n")
    check_damages(recording, terminal)


def print_difference(flags: Mapping[str, Any], terminal: Terminal) -> bool:
    """Print the patch between two states; return whether there is a difference.

    Raises:
        SpyError: one of them was not there, or the recording is damaged.
    """
    words = flags["words"]
    if flags["semantic"] and flags["output"] != "text":
        raise UsageError("--semantic prints text only", "leave out -o")
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
        _state(recording, flags, words[:-2], point, terminal)
        for recording, point in zip(recordings, points, strict=True)
    )
    try:
        before, after = _comparable(old, new, terminal)
    except RecursionError:
        raise SpyError(
            "both states hold masked values, and are nested too deeply to compare"
        ) from None
    view = View(only=flags["only"], ignore=flags["ignore"])
    before, after = view.document(before), view.document(after)
    if flags["semantic"]:
        differs = _print_meaning(flags, before, after, terminal)
    else:
        patch = operations_between(before, after)
        differs = bool(patch)
        _print_patch(flags, patch, terminal)
    # As far as was read, which may be further for one of the two.
    check_damages(max(recordings, key=lambda each: len(each.damages)), terminal)
    return differs


def print_verdict(name: str, terminal: Terminal) -> None:
    """Check a recording, and print that it is whole.

    Raises:
        SpyError: it is not.
    """
    recording = opened(name, terminal)
    told = objects = changes = 0
    for item in recording:
        told = tell_damages(recording, terminal, told)
        changes += isinstance(item, ChangeRecord)
        objects += isinstance(item, ChangeRecord) and item.type.value == "ADDED"
    check_damages(recording, terminal, told)
    whole = recording.ended or is_segment(name, recording.header.get("segment"))
    ending = "" if whole else "; not ended: killed or still running"
    terminal.write(
        f"{inert(name)}: {recording.lines:,} lines, {byte_size(recording.size)}, "
        f"{objects:,} objects, {changes:,} changes, every one as it was written"
        f"{ending}\n"
    )


def _state(
    recording: Recording,
    flags: Mapping[str, Any],
    words: tuple[str, ...],
    point: Point,
    terminal: Terminal,
) -> State:
    wanted = wanted_of(words, flags["namespace"])
    try:
        return seek(recording, wanted, point)
    except NotSeen:
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
    """Return the error that nothing is known of an object at *point*, and why not."""
    name = recording.name
    what = described_together(list(wanted.among(recording.declared))) or "object"
    where = f" in namespace {flags['namespace']}" if flags["namespace"] else ""
    nothing = SpyError(
        f"{inert(name)} holds no {what}{where}",
        "see what it holds with kubectl spy replay",
    )
    if isinstance(point, First | Last):
        return nothing
    if is_read_once(name):
        return SpyError(
            f"{what} was not seen up to that point", "choose a later one, or first"
        )
    whole = Recording(name)
    try:
        first = seek(whole, wanted, First()).record
    except NotSeen:
        check_damages(whole, terminal)
        return nothing
    label = f"{first.gvk.printed}/{first.name}"
    if isinstance(point, AtVersion):
        return SpyError(
            f"no version {point.resource_version} of {label} was recorded",
            "see which were with kubectl spy replay -o json",
        )
    check_damages(whole, terminal)
    return SpyError(
        f"{label} was seen first at {rfc3339(first.time)}, and nothing is known of it "
        "before",
        "use the point first, or a later one",
    )


def _comparable(old: State, new: State, terminal: Terminal) -> tuple[JSON, JSON]:
    """Return both documents; what was masked with different keys is equal in them."""
    if old.epoch == new.epoch or not (old.masked or new.masked):
        return old.document, new.document
    before, after, count = incomparable(old.document, new.document)
    if count:
        terminal.say(
            f"note: {count} value{'s' * (count != 1)} masked, cannot compare: recorded "
            "in different runs"
        )
    return before, after


def _print_patch(
    flags: Mapping[str, Any],
    patch: list[PatchOperation],
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
    terminal.write(text_renderer(flags["color"], whole=True).render_patch(patch))


def _print_meaning(
    flags: Mapping[str, Any], before: JSON, after: JSON, terminal: Terminal
) -> bool:
    from kubectl_spy.core.patch.semantic import semantic_changes

    ops = {"added": "add", "removed": "remove", "repeated": "replace"}
    try:
        steps = [
            PatchOperation(ops.get(kind, "replace"), path, new, old)
            for kind, path, old, new in semantic_changes(before, after)
        ]
    except RecursionError:
        raise SpyError(
            "the states are nested too deeply to compare by meaning",
            "leave out --semantic",
        ) from None
    terminal.write(text_renderer(flags["color"], whole=True).render_patch(steps))
    return bool(steps)
