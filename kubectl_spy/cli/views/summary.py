"""The view of `summary`: what mattered in a recording, or while it watched."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from kubectl_spy.cli.run.view import Scene, View, ViewSpec, palette_of, screen_width
from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.causes.writes import folded
from kubectl_spy.core.changes.contents import Asked
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.narrowing import CHURN, Narrowing, is_churn
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    Item,
    Logged,
    as_record,
)
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.render.columns import hanging
from kubectl_spy.render.contents import made_earlier
from kubectl_spy.render.denials import Denial, denied, lacks
from kubectl_spy.render.inert import ASCII, inert
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.moments import day_and_clock, duration, offset
from kubectl_spy.render.summary import Sections, none_failed
from kubectl_spy.render.summary_json import (
    busiest,
    failure_json,
    flap_json,
    state_json,
    unwell_json,
    warning_json,
    write_json,
)
from kubectl_spy.sinks.terminal import StdoutClosed, arrow_for, size_of
from kubectl_spy.sources.recording.segments import is_read_once

_TARGETS = 5  # the most targets whose state is said
_SAID = 5  # lines on standard error, before the summary


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFormat:
    """What to summarize, and how."""

    excerpt: Excerpt
    narrowing: Narrowing
    output: str  # text or json
    full: bool  # whether to show every change, failure and count
    color: str
    recorded: bool  # whether it is of a recording
    words: tuple[str, ...]  # the targets that were named
    selects: bool  # whether targets or selectors choose among objects
    until: bool  # whether a recording is read only up to a time
    once: bool  # whether it ends when all is listed, and what is remembered is there


def summary(wanted: SummaryFormat) -> ViewSpec:
    """Return the view of `summary`."""
    return ViewSpec(
        make=lambda scene: SummaryView(wanted, scene),
        owned=not wanted.recorded,
        explains=True,
        everything=True,
        whole=True,
        silent=wanted.recorded,
        tick=1.0,
        once=wanted.once,
    )


class SummaryView(View):
    """Prints a summary at the end."""

    def __init__(self, wanted: SummaryFormat, scene: Scene) -> None:
        self._wanted = wanted
        self._scene = scene
        self._projection = Projection(
            wanted.excerpt, narrowing=wanted.narrowing, keys=scene.keys
        )
        everything = scene.scope.everything
        self._all = not (everything if scene.live else wanted.selects)
        self._folds = everything and wanted.output == "text" and not wanted.full
        self._folded = 0  # changes that are counted apart
        declared = scene.recording.declared if scene.recording else ()
        self._asked = Asked(() if wanted.words else declared)
        self._summary = Summary(scene.scope, self._concerns)
        self._began = self._last = 0.0
        self._found = self._printed = False

    def _concerns(self, record: ChangeRecord) -> bool:
        scene = self._scene
        within = scene.namespace in (None, record.namespace)
        if not within and (scene.live or not self._wanted.words):
            return False
        if scene.scope.is_root(record):
            return True
        return self._all and record.selection not in scene.scope.beside

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if isinstance(item, Logged):
            self._summary.log(item)
            return
        self._began, self._last = self._began or item.time, item.time
        found = None
        if isinstance(item, EarlierWrite) and (
            earlier := self._projection.earlier(item)
        ):
            found = as_record(earlier) if shown else None
        if isinstance(item, ChangeRecord):
            found = self._projection.narrowed(item, shown=shown)
            if self._folds and found is not None and is_churn(found):
                found, self._folded = None, self._folded + self._concerns(item)
            if not item.of_stream:
                self._found = self._found or self._scene.scope.is_root(item)
        self._summary.observe(item, found)

    @property
    def finished(self) -> bool:
        return self._wanted.once and self._scene.scope.coverage.complete

    def flush(self, now: float) -> str:
        """Note the time. Return ""."""
        self._last = max(self._last, now)
        return ""

    def final(self) -> str:
        """Return the summary, or "" if the window is outside the recording."""
        self._printed = True
        inside = bool(self._began) and self._scene.since <= self._last
        self._summary.pass_time(self._last)
        failures = self._summary.failures(self._scene.since) if inside else []
        if self._wanted.output == "json":
            return json_line(self._as_json(failures, inside=inside))
        if not self._began and not self._wanted.until:
            coverage, until = self._scene.scope.coverage, self._last
            return f"{self._name}: {denied(Denial.OBJECTS, coverage, 0.0, until)}\n"
        text = "\n".join(self._lines(failures) if inside else ())
        return self._on_screen(f"{text}\n" if text else "")

    def _on_screen(self, text: str) -> str:
        """Return *text*, cut to the height of a terminal: what matters comes first."""
        if arrow_for(sys.stdout) != "→":
            text = text.translate(ASCII)
        lines = text.split("\n")[:-1]
        beside = _SAID if self._scene.live else 1
        room = size_of(sys.stdout)()[1] - beside - 1
        if self._wanted.full or not screen_width() or len(lines) <= room:
            return text
        more = many(len(lines) - room, "more line")
        return "\n".join((*lines[:room], f"… {more}: --full shows all\n"))

    @property
    def _name(self) -> str:
        recording, space = self._scene.recording, self._scene.namespace
        if recording:
            return inert(" ".join((recording.name, *self._wanted.words)))
        where = f"namespace {space}" if space else "cluster"
        if self._wanted.words:
            where = f"{' '.join(self._wanted.words)} in {where}"
        return inert(where if self._wanted.once else f"watched {where}")

    def close(self) -> None:
        """Print the summary of what was watched, or came through a pipe."""
        wanted, recording = self._wanted, self._scene.recording
        absent = wanted.words and not self._found and wanted.once
        if recording is not None:
            absent = not (self._found and is_read_once(recording.file))
        if self._began and not (self._printed or absent):
            self.flush(time.time() if recording is None else 0.0)
            with suppress(StdoutClosed):
                self._scene.terminal.write(self.final())

    def _lines(self, failures: list[Failure]) -> Iterator[str]:
        found, wanted = self._summary, self._wanted
        width = screen_width()
        began = max(self._began, self._scene.since)
        rows = found.contents.rows("changes")
        gaps = found.contents.gaps
        spaces = {row.namespace for row in rows}
        spaces |= {each.top.namespace for each in failures}
        times = [began, self._last, *(each.since for each in failures)]
        times += (each.edit.time for each in found.shown)
        coverage = self._scene.scope.coverage
        span = began, self._last
        flaps = found.flaps.found()
        fights = [each for each in flaps if each.is_fight]
        quiet = not failures and not fights and self._found
        lacking = lacks(coverage, *span)
        whole = [many(len(gaps), "gap"), *lacking]
        if not gaps:
            whole = [denied(Denial.GAPS, coverage, *span)]
        if quiet and lacking:  # which the next sentence says
            whole = whole[: len(gaps) > 0]
        sections = Sections(
            palette_of(wanted.color),
            width,
            full=wanted.full,
            days=len({_moment(each)[0] for each in times}),
            spaces=len(spaces - {None}),
        )
        changes = many(sum(row.changes for row in rows), "change")
        changes += f" (and {self._folded:,} of {CHURN})" if self._folded else ""
        noun = "changed object" if self._scene.since else "object"
        parts = (
            f"{' '.join(_moment(began))}{offset(began)} to {_moment(self._last)[1]} "
            f"({duration(self._last - began)})",
            self._asked.counted(rows, noun),
            changes,
            *whole,
            *([made_earlier(found.contents.late)] if found.contents.late else []),
        )
        head = f"{self._name}: {inert(', '.join(parts))}"
        yield hanging(head, width) if width else head
        states = list(found.targets()) if wanted.words else []
        if len(states) <= _TARGETS:
            yield from (sections.state(*each) for each in states)
        if quiet:
            recording = self._scene.recording
            damaged = recording is not None and bool(recording.damages)
            none = none_failed(found, coverage, *span, damaged=damaged)
            yield hanging(none, width) if width else none
        moving = {(each.record.identity, each.pointer) for each in flaps}
        meant = [each.by[0].write for each in failures if each.by]
        named = {each.number for each in meant}
        still = [each for each in found.shown if not each.is_among(moving)]
        writes = folded(still, named)
        yield from sections.lasting(found, failures)
        if failures and (kinds := found.unjudged()):
            yield f"\nnot judged: {inert(in_brief(kinds, 5))}"
        yield from sections.writes(writes, meant)
        yield from sections.over(failures)
        others = [each for each in flaps if not each.is_fight]
        yield from sections.flaps("Goes back and forth", others)
        yield from sections.busiest(busiest(found.contents, found.counts))
        yield from sections.gaps(gaps)

    def _as_json(self, failures: list[Failure], *, inside: bool) -> dict[str, JSON]:
        found, recording = self._summary, self._scene.recording
        wanted = self._wanted
        began = max(self._began, self._scene.since)
        holes = self._scene.scope.coverage.holes(began, self._last)
        named = {each.by[0].write.number for each in failures if each.by}
        return {
            "file": recording.name if recording else None,
            "from": rfc3339(began) if inside else None,
            "to": rfc3339(self._last) if inside else None,
            "judged": inside and self._found and found.judged,
            "targets": [
                state_json(*each) for each in (found.targets() if wanted.words else ())
            ],
            "unjudged": found.unjudged() if inside else [],
            "failures": list(map(failure_json, failures)),
            "notWell": list(map(unwell_json, found.unwell(failures))) if inside else [],
            "warnings": list(map(warning_json, found.warnings())) if inside else [],
            "edits": list(map(write_json, folded(found.shown, named))),
            "flaps": list(map(flap_json, found.flaps.found())),
            "busiest": busiest(found.contents, found.counts),
            "gaps": [gap.as_json() for gap in found.contents.gaps],
            "unknown": [hole.as_json() for hole in holes] if inside else [],
        }


def _moment(when: float) -> tuple[str, str]:
    day, clock = day_and_clock(when)
    return day, clock[:8]
