"""Checks that a recording is undamaged, and that its patches lead where it says."""

from __future__ import annotations

from jsonpatch import JsonPatchException, apply_patch
from jsonpointer import JsonPointerException

from kubectl_spy.cli.run.reading import check_damages, opened, progress, tell_damages
from kubectl_spy.core.changes.contents import Contents
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.segments import is_segment

_ALL = 2_000  # patches that are all applied a second time; of later ones a sample is
_SAMPLE = 16  # one of so many, and each that moves a value


def verify(name: str, terminal: Terminal) -> None:
    """Check a recording, and print the result.

    Raises SpyError if it is damaged, or jsonpatch makes another object of a patch.
    """
    recording = opened(name, terminal)
    reported = patches = again = 0
    contents = Contents()
    present: dict[tuple[Selection, str], ChangeRecord] = {}
    with progress(recording, terminal):
        for item in recording:
            reported = tell_damages(recording, terminal, reported)
            if not isinstance(item, ChangeRecord):
                continue
            contents.note(item)
            before = present.pop(key := (item.selection, item.identity), None)
            if item.patch and before is not None:
                patches += 1
                moves = any(step.op == "move" for step in item.patch)
                if patches <= _ALL or not patches % _SAMPLE or moves:
                    apply_again(before, item)
                    again += 1
            if not item.gone and not item.of_stream:
                present[key] = item
    check_damages(recording, terminal, reported)
    whole = recording.ended or is_segment(name, recording.header.get("segment"))
    ending = "" if whole else "; not ended: killed or still running"
    sample = (
        f" (jsonpatch: {again:,} of {patches:,} patches)" if again < patches else ""
    )
    rows = contents.rows("name")
    changes = sum(row.changes for row in rows)
    terminal.write(
        f"{inert(name)}: {many(recording.lines, 'line')}, {byte_size(recording.size)}, "
        f"{many(len(rows), 'object')}, {many(changes, 'change')}, "
        f"every one as it was written{sample}{ending}\n"
    )


def apply_again(before: ChangeRecord, record: ChangeRecord) -> None:
    """Check with jsonpatch the patch from *before* to *record*, or raise SpyError."""
    patch = [step.as_json() for step in record.patch]
    try:
        document = apply_patch(before.document, patch)
    except RecursionError:  # jsonpatch cannot copy deeply nested values
        return
    except (JsonPatchException, JsonPointerException) as error:
        why = str(error)
    else:
        if canonical(document) == canonical(record.document):
            return
        why = "the result is another object"
    raise SpyError(
        f"the patch of seq:{record.seq} does not apply with jsonpatch: {why}",
        "please report it, with the lines of this object up to there",
    )
