"""The view of `summary`: what mattered in a recording, or while it watched."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from kubectl_spy.cli.run.view import Scene, View, ViewSpec
from kubectl_spy.cli.views.change_records import narrowing_of
from kubectl_spy.core.answer.answer import Failure
from kubectl_spy.core.causes.writes import folded
from kubectl_spy.core.changes.churn import is_churn
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.changes.record import ChangeRecord, Item, Logged
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.render.contents import made_earlier
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.moments import day_and_clock, duration
from kubectl_spy.render.palette import PLAIN, coloured
from kubectl_spy.render.summary import Sections, none_failed
from kubectl_spy.render.summary_json import (
    busiest,
    failure_json,
    flap_json,
    warning_json,
    write_json,
)
from kubectl_spy.render.wrapping import hanging
from kubectl_spy.sinks.terminal import StdoutClosed, columns_of, size_of, wants_colour

_SAID = 5  # lines on standard error, before the summary


def summary(flags: Mapping[str, Any]) -> ViewSpec:
    """Return the view of `summary` for click's *flags*."""
    recorded = flags["source"] is not None
    return ViewSpec(
        make=lambda scene: SummaryView(flags, scene),
        owned=not recorded,
        explains=True,
        everything=True,
        whole=True,
        silent=recorded,
        tick=1.0,
        once=not goes_on(flags),
    )


def goes_on(flags: Mapping[str, Any]) -> bool:
    """Return whether to watch, and not only to summarize what is and was."""
    return bool(flags["watch"] or flags["timeout"] is not None or flags["awaited"])


class SummaryView(View):
    """Prints at the end what mattered."""

    def __init__(self, flags: Mapping[str, Any], scene: Scene) -> None:
        super().__init__(scene.judge())
        self._flags = flags
        self._scene = scene
        excerpt = Excerpt(only=flags["only"], ignore=flags["ignore"])
        self._projection = Projection(
            excerpt, narrowing=narrowing_of(flags), keys=scene.keys
        )
        narrow = (*flags["target"], flags["label_selector"], flags["field_selector"])
        self._all = not (scene.everything if scene.live else any(narrow))
        self._scope = scene.scope()
        self._summary = Summary(self._scope, self._concerns)
        self._folds = scene.everything and flags["output"] == "text"
        self._began = self._last = 0.0
        self._found = False
        if flags["output"] == "json":
            scene.terminal.write_utf8()

    def _concerns(self, record: ChangeRecord) -> bool:
        scene = self._scene
        within = scene.namespace in (None, record.namespace)
        if not within and (scene.live or not self._flags["target"]):
            return False
        return self._all or scene.is_root(record)

    def text(self, item: Item, *, alone: bool) -> str:
        """Take in *item*. Return ""."""
        shown = None
        if isinstance(item, ChangeRecord):
            shown = self._projection.narrowed(item)
            if self._folds and shown is not None and is_churn(shown):
                shown = None
        self._observe(item, shown)
        return ""

    def log(self, logged: Logged) -> None:
        self._summary.log(logged)

    def pass_over(self, item: Item) -> None:
        """Take in an *item* from before the window."""
        if isinstance(item, ChangeRecord):
            self._projection.pass_over(item)
        self._observe(item, None)

    def _observe(self, item: Item, shown: ChangeRecord | None) -> None:
        self._began, self._last = self._began or item.time, item.time
        if self.judge is not None:
            self.judge.observe(item)
        if isinstance(item, ChangeRecord) and not item.of_stream:
            self._found = self._found or self._scene.is_root(item)
        self._summary.observe(item, shown)

    def over(self) -> bool:
        """Return whether all that is to be summarized was."""
        return not goes_on(self._flags) and self._scope.complete

    def quiet(self, until: float) -> str:
        """Let time pass. Return ""."""
        self._last = max(self._last, until)
        self._summary.pass_time(until)
        return ""

    def last(self) -> str:
        """Return the summary, or "" if the window is outside the recording."""
        inside = bool(self._began) and self._scene.since <= self._last
        self._summary.pass_time(self._last)
        failures = self._summary.failures(self._scene.since) if inside else []
        if self._flags["output"] == "json":
            return json_line(self._as_json(failures, inside=inside))
        if not self._began and not self._flags["to_time"]:
            return f"{self._name}: it holds no objects\n"
        text = "\n".join(self._lines(failures) if inside else ())
        return self._on_screen(f"{text}\n" if text else "")

    def _on_screen(self, text: str) -> str:
        """Return *text*, cut to the height of a terminal: what matters comes first."""
        lines = text.split("\n")[:-1]
        beside = _SAID if self._scene.live else 1
        room = size_of(sys.stdout)()[1] - beside - 1
        if self._flags["full"] or not columns_of(sys.stdout) or len(lines) <= room:
            return text
        more = many(len(lines) - room, "more line")
        return "\n".join((*lines[:room], f"… {more}: --full shows all\n"))

    @property
    def _name(self) -> str:
        recording = self._scene.recording
        if recording or goes_on(self._flags):
            return inert(recording.name if recording else "watched")
        space = self._scene.namespace
        return inert(f"namespace {space}" if space else "cluster")

    @property
    def _unwatched(self) -> float:
        """Since when it was not watched to the end, or 0."""
        recording = self._scene.recording
        lost = recording.unwatched if recording else 0.0
        return lost if lost < self._last else 0.0

    def close(self) -> None:
        """Print the summary of what was watched."""
        absent = self._flags["target"] and not self._found and not goes_on(self._flags)
        if self._scene.live and self._began and not absent:
            self.quiet(time.time())
            with suppress(StdoutClosed):
                self._scene.terminal.write(self.last())

    def _lines(self, failures: list[Failure]) -> Iterator[str]:
        found, flags = self._summary, self._flags
        columns = columns_of(sys.stdout)
        width = columns() if columns else 0
        colourful = wants_colour(flags["color"], sys.stdout, os.environ)
        began = max(self._began, self._scene.since)
        rows = found.contents.rows("changes")
        gaps = found.contents.gaps
        spaces = {row.namespace for row in rows}
        spaces |= {each.top.namespace for each in failures}
        times = (began, self._last, *(each.since for each in failures))
        whole = "no gaps"
        if self._unwatched:
            whole = f"not watched after {_moment(self._unwatched)[1]}"
        sections = Sections(
            coloured() if colourful else PLAIN,
            width,
            full=flags["full"],
            days=len({_moment(each)[0] for each in times}),
            spaces=len(spaces - {None}),
        )
        changes = sum(row.changes for row in rows)
        parts = (
            f"{' '.join(_moment(began))} to {_moment(self._last)[1]} "
            f"({duration(self._last - began)})",
            many(len(rows), "changed object" if self._scene.since else "object"),
            many(changes, "change"),
            *([many(len(gaps), "gap")] if gaps else []),
            *([whole] if self._unwatched or not gaps else []),
            *([made_earlier(found.contents.late)] if found.contents.late else []),
        )
        head = f"{self._name}: {inert(', '.join(parts))}"
        yield hanging(head, width) if width else head
        flaps = found.flaps.found()
        fights = [each for each in flaps if each.is_fight]
        if not failures and not fights and self._found:
            yield none_failed(found, self._scene.recording)
        moving = {(each.record.identity, each.pointer) for each in flaps}
        writes = folded([each for each in found.shown if not each.is_among(moving)])
        meant = [each.by[0].write for each in failures if each.by]
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
        lost = {"unwatched": rfc3339(self._unwatched)} if self._unwatched else {}
        return lost | {
            "file": recording.name if recording else None,
            "from": rfc3339(max(self._began, self._scene.since)) if inside else None,
            "to": rfc3339(self._last) if inside else None,
            "judged": inside and self._found and found.judged,
            "unjudged": found.unjudged() if inside else [],
            "failures": list(map(failure_json, failures)),
            "warnings": list(map(warning_json, found.warnings())) if inside else [],
            "edits": list(map(write_json, folded(found.shown))),
            "flaps": list(map(flap_json, found.flaps.found())),
            "busiest": busiest(found.contents, found.counts),
            "gaps": [gap.as_json() for gap in found.contents.gaps],
        }


def _moment(when: float) -> tuple[str, str]:
    day, clock = day_and_clock(when)
    return day, clock[:8]
