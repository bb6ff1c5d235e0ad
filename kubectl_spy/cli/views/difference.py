"""Print the patch between two states of a recorded object: the view of `diff`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.points import point_of, points_of
from kubectl_spy.cli.run.reading import check_damages
from kubectl_spy.cli.views.change_records import text_renderer
from kubectl_spy.cli.views.state import object_at
from kubectl_spy.core.changes.masking import incomparable
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import yaml_lines
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_at import RecordedObject
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once


def print_difference(flags: Mapping[str, Any], terminal: Terminal) -> bool:
    """Print the patch between two states. Return whether they differ.

    Raises SpyError if one of them was not recorded, or the recording is damaged.
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
        object_at(recording, flags, words[:-2], point, terminal)
        for recording, point in zip(recordings, points, strict=True)
    )
    try:
        before, after = _comparable(old, new, terminal)
    except RecursionError:
        raise SpyError(
            "both states hold masked values, and are nested too deeply to compare"
        ) from None
    view = Excerpt(only=flags["only"], ignore=flags["ignore"])
    before, after = view.document(before), view.document(after)
    if flags["semantic"]:
        differs = _print_meaning(flags, before, after, terminal)
    else:
        patch = operations_between(before, after)
        differs = bool(patch)
        _print_patch(flags, patch, terminal)
    # Both read one file. The one that read further found more damages.
    check_damages(max(recordings, key=lambda each: len(each.damages)), terminal)
    return differs


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
