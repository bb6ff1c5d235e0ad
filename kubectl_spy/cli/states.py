"""What `show`, `diff` and `verify` do with a recording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubectl_spy.cli.playing import (
    check_damages,
    point_of,
    tell_damages,
    wanted_of,
)
from kubectl_spy.cli.showing import text_renderer
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.masking import incomparable
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.operation import PatchOperation
from kubectl_spy.core.patch import operations_between
from kubectl_spy.core.points import Point
from kubectl_spy.core.record import ChangeRecord
from kubectl_spy.core.view import View
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.document import json_lines, yaml_lines
from kubectl_spy.render.inert import inert
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.seeking import seek
from kubectl_spy.sources.recording.segments import STDIN
from kubectl_spy.sources.recording.states import State


def print_state(flags: Mapping[str, Any], terminal: Terminal) -> None:
    """Print an object as it was.

    Raises:
        SpyError: it was not there, or the recording is damaged.
    """
    point = point_of(flags["point"])
    state, recording = _state(flags, flags["target"], point, terminal)
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
        raise UsageError("--semantic is for people to read", "leave out -o")
    if len(words) < 2:
        raise UsageError("two points are needed", "for example first last")
    points = [point_of(word) for word in words[-2:]]
    if flags["file"] == STDIN or Path(flags["file"]).is_fifo():
        raise UsageError("diff reads its file twice", "save it first")
    states = [_state(flags, words[:-2], each, terminal) for each in points]
    (old, _), (new, _) = states
    try:
        before, after = _comparable(old, new, terminal)
    except RecursionError:
        raise SpyError("they are masked, and nested too deeply to compare") from None
    view = View(only=flags["only"], ignore=flags["ignore"])
    before, after = view.document(before), view.document(after)
    if flags["semantic"]:
        differs = _print_meaning(flags, before, after, terminal)
    else:
        patch = operations_between(before, after)
        differs = bool(patch)
        _print_patch(flags, patch, terminal)
    # As far as was read, which may be further for one of the two.
    _, recording = max(states, key=lambda each: len(each[1].damages))
    check_damages(recording, terminal)
    return differs


def print_verdict(name: str, terminal: Terminal) -> None:
    """Check a recording, and print that it is whole.

    Raises:
        SpyError: it is not.
    """
    recording = Recording(name)
    told = objects = changes = 0
    for item in recording:
        told = tell_damages(recording, terminal, told)
        changes += isinstance(item, ChangeRecord)
        objects += isinstance(item, ChangeRecord) and item.type.value == "ADDED"
    check_damages(recording, terminal, told)
    terminal.write(
        f"{inert(name)}: {recording.lines:,} lines, {byte_size(recording.size)}, "
        f"{objects:,} objects, {changes:,} changes, every one as it was written\n"
    )


def _state(
    flags: Mapping[str, Any], words: tuple[str, ...], point: Point, terminal: Terminal
) -> tuple[State, Recording]:
    recording = Recording(flags["file"])
    wanted = wanted_of(words, flags["namespace"])
    try:
        return seek(recording, wanted, point), recording
    except SpyError:
        tell_damages(recording, terminal, 0)
        if not recording.damages:
            wanted.check(recording.declared)
        raise


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
    from kubectl_spy.core.semantic import semantic_changes

    ops = {"added": "add", "removed": "remove", "repeated": "replace"}
    try:
        steps = [
            PatchOperation(ops.get(kind, "replace"), path, new, old)
            for kind, path, old, new in semantic_changes(before, after)
        ]
    except RecursionError:
        raise SpyError(
            "they are nested too deeply to compare by meaning", "leave out --semantic"
        ) from None
    terminal.write(text_renderer(flags["color"], whole=True).render_patch(steps))
    return bool(steps)
