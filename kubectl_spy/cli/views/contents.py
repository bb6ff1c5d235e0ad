"""The view of `ls`: what a recording holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jsonpatch import JsonPatchException, apply_patch
from jsonpointer import JsonPointerException

from kubectl_spy.cli.run.reading import check_damages, opened, progress, tell_damages
from kubectl_spy.cli.run.view import Scene, View, ViewSpec, palette_of, screen_width
from kubectl_spy.core.changes.contents import Asked, Contents
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Logged
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.columns import hanging
from kubectl_spy.render.contents import contents_table, made_earlier
from kubectl_spy.render.denials import Denial, denied, lacks
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.moments import clock, day_and_clock, duration, offset
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.naming import in_file
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_segment, segments_of
from kubectl_spy.terms import option, phrase

_GAPS = 5  # the most gaps to print


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsFormat:
    """What of a recording to count, and how to show it."""

    excerpt: Excerpt
    narrowing: Narrowing
    sort: str  # changes, time or name
    output: str  # text or json
    color: str
    targets: bool  # whether targets were named
    until: bool  # whether the recording is read only up to a time
    bodies: bool  # whether a flag chooses by what is in documents and patches


def contents(wanted: ContentsFormat) -> ViewSpec:
    """Return the view of `ls`."""
    return ViewSpec(
        make=lambda scene: ContentsView(wanted, scene),
        silent=True,
        bodies=wanted.bodies,
    )


class ContentsView(View):
    """Prints at the end what a recording holds."""

    def __init__(self, wanted: ContentsFormat, scene: Scene) -> None:
        self._wanted = wanted
        self._recording, self._coverage = scene.recording, scene.scope.coverage
        self._projection = Projection(
            wanted.excerpt, narrowing=wanted.narrowing, keys=scene.keys
        )
        self._contents = Contents()
        self._logs = 0

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        """Count *item*."""
        if isinstance(item, Logged):
            self._logs += 1
        elif isinstance(item, ChangeRecord):
            found: ChangeRecord | None = item if shown else None
            if self._wanted.bodies:
                found = self._projection.narrowed(item, shown=shown)
            if found is not None:
                self._contents.note(found)

    def final(self) -> str:
        """Return the text of the whole recording."""
        recording = self._recording
        if recording is None:
            return ""
        if self._wanted.output == "json":
            return json_line(self._as_json(recording))
        width = screen_width()
        lines = self._lines(recording)
        return "".join(f"{hanging(each, width) if width else each}\n" for each in lines)

    def _lines(self, recording: Recording) -> Iterator[str]:
        found = self._contents
        rows = found.rows(self._wanted.sort)
        changes = sum(row.changes for row in rows)
        ended = recording.last
        began = " ".join(day_and_clock(recording.began)) + offset(recording.began)
        parts = [
            f"{began} to {clock(ended)} ({duration(ended - recording.began)})",
            byte_size(recording.size),
        ]
        if (segments := _segments(recording)) > 1:
            parts.append(many(segments, "segment"))
        if context := recording.header.get("context"):
            parts.append(f"context {context}")
        if not (recording.ended or self._wanted.until):
            parts.append("not ended: killed or still running")
        yield inert(f"{recording.name}: {', '.join(parts)}")
        asked = Asked(() if self._wanted.targets else recording.declared)
        counts = [asked.counted(rows), many(changes, "change")]
        if self._logs:
            counts.append(many(self._logs, "log"))
        nothing = Denial.GAPS if self._wanted.bodies else Denial.LINES_MISSING
        span = recording.began, ended
        if found.gaps:
            counts += [many(len(found.gaps), "gap"), *lacks(self._coverage, *span)]
        else:
            counts.append(denied(nothing, self._coverage, *span))
        if found.late:
            counts.append(made_earlier(found.late))
        yield ", ".join(counts)
        for gap in found.gaps[:_GAPS]:
            since = gap.time if gap.since is None else gap.since
            what = gap.gvk.printed if gap.of_stream else gap.label
            until = gap.time if gap.until is None else gap.until
            yield inert(f"  gap: {what}, {clock(since)} to {clock(until)}")
        if len(found.gaps) > _GAPS:
            see = f"see {option('-o')} json"
            yield f"  {many(len(found.gaps) - _GAPS, 'more gap')}: {see}"
        shown = [row for row in rows if self._wanted.targets or not is_event(row.gvk)]
        if shown:
            yield ""
            yield from contents_table(shown, palette_of(self._wanted.color))
        if folded := len(rows) - len(shown):
            see = phrase("see-events", kubectl("spy events {}", recording.file))
            yield f"+ {many(folded, 'Event')}: {see}"

    def _as_json(self, recording: Recording) -> dict[str, JSON]:
        found = self._contents
        members = ("context", "server", "cluster", "command", "targets", "owned")
        return {
            "file": recording.name,
            "from": rfc3339(recording.began),
            "to": rfc3339(recording.last or recording.began),
            "bytes": recording.size,
            "segments": _segments(recording),
            "ended": recording.ended,
            **{name: recording.header.get(name) for name in members},
            "read": "all" if self._wanted.bodies else "heads",
            "logs": self._logs,
            "late": found.late,
            "gaps": [gap.as_json() for gap in found.gaps],
            "unknown": [
                each.as_json()
                for each in self._coverage.holes(recording.began, recording.last)
            ],
            "objects": [row.as_json() for row in found.rows(self._wanted.sort)],
        }


def _segments(recording: Recording) -> int:
    if recording.read_once:
        return 1
    path = Path(in_file(recording.file)[0])
    return len(segments_of(path)) + path.exists() or 1  # Loki has no file


# Checks that a recording is undamaged, and that its patches lead where it says.

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
