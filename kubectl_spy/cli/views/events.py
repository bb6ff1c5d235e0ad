"""The view of `events`: past Events by time, later ones as they arrive."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kubectl_spy.cli.run.view import Scene, ViewSpec, palette_of
from kubectl_spy.cli.views.patience import OwnedFormat, Patient, owned_view
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Refused
from kubectl_spy.core.cluster.event_log import EventLog
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.denials import no_events
from kubectl_spy.render.event_lines import EventLines
from kubectl_spy.render.machine import event_json


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFormat(OwnedFormat):
    """How to show the Events about an object and all it owns."""

    types: frozenset[str]  # Some of normal and warning. If empty, all.
    since: float | None  # leave out past Events that are older than these seconds


def events(wanted: EventFormat) -> ViewSpec:
    """Return the view of `events`."""
    return owned_view(EventsView, wanted)


class EventsView(Patient):
    """Shows each Event, and again each time that it repeats."""

    def __init__(self, wanted: EventFormat, scene: Scene) -> None:
        super().__init__(wanted, scene)
        self._sorts = not scene.live
        self._log = EventLog(scene.scope, each_time=self._sorts)
        self._wanted = wanted
        self._target = scene.target
        palette = palette_of(wanted.color)
        self._lines = EventLines(palette, namespace=scene.scope.namespace, zone=None)
        self._from = scene.since
        self._begun = self._over = False
        # Events of a recording, until all are known and can be put in order.
        self._sorted: list[ClusterEvent] = []
        self._text = ""
        self._quiet = True
        self._gathers = scene.past
        """Whether what was remembered comes in, which is put in order first."""
        self._oldest = time.time() - (wanted.since or 0.0) if scene.past else 0.0
        self._now = 0.0
        self._missing = 0
        self._lost_count = False

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        """Take in new Events. Raises SpyError if they may not be listed."""
        if isinstance(item, Aside):
            return
        self._now = self._now if self._begun else item.time
        with self._defer_signals:
            self._log.observe(item)
        if isinstance(item, ChangeRecord) and item.of_stream:
            self._say_missed(item)
        elif isinstance(item, Refused):
            if item.selection.resource.gvk.kind == "Event":
                raise SpyError(item.message, "ask for the right to list and watch them")
            if not self._scope.everything:
                self._terminal.say(f"note: {item.message}: going on without")
        news = self._news()
        self._text += news if shown else ""

    def flush(self, now: float) -> str:
        text, self._text = self._text, ""
        if self._gathers and self.ready:
            self._news()
            self._gathers = False
            text += self._printed(sorted(self._sorted, key=lambda each: each.order))
        return text + self._news()

    def final(self) -> str:
        self._say_unlisted()
        news = self._all()
        if self._quiet and not self._lacking:
            self._say_none()
        return news

    def _all(self) -> str:
        self._begun = self._over = True
        return self._news()

    def close(self) -> None:
        """Print the known Events if a recording was not read to its end."""
        super().close()
        if self._sorts and not self._over:
            self._terminal.write(self._all())

    @property
    def finished(self) -> bool:
        return self._wanted.once and self._begun

    @property
    def ready(self) -> bool:
        return self._begun or self._begins(self._now)

    def _news(self) -> str:
        if not self.ready:
            return ""
        self._begun = True
        self._report_dropped()
        events = list(filter(self._wants, self._log.news()))
        if self._sorts or self._gathers:
            self._sorted += events
            events = []
            if self._over:
                events = sorted(self._sorted, key=lambda each: each.order)
        return self._printed(events)

    def _printed(self, events: list[ClusterEvent]) -> str:
        if events:
            self._quiet = False
        elif self._quiet and self._live and not self._gathers:
            self._say_none()
        if self._wanted.output == "json":
            return "".join(map(event_json, events))
        return self._lines.lines(events)

    def _say_none(self) -> None:
        """Say once that there is no Event. This is not an error."""
        self._quiet = False
        such = "such " if self._wanted.types or self._wanted.since is not None else ""
        if not self._live and (others := self._log.events.others):
            about = f"{such}about {self._target or 'its targets'}"
            of = " of any type" if such else ""
            self._terminal.say(f"note: none {about} ({others:,}{of} about others)")
        elif not self._live:
            none = no_events(such, self._scope.coverage, time.time())
            self._terminal.say(f"note: {none}")
        elif self._scope.coverage.complete:
            yet = "" if self._wanted.once else " yet"
            self._terminal.say(
                f"note: no {such}Events{yet}; an API server keeps them for an hour"
            )

    def _report_dropped(self) -> None:
        missing = self._log.events.missing - self._missing
        self._missing += missing
        if missing:
            self._terminal.say(
                f"note: {many(missing, 'Event')} missing: dropped before it was known "
                "that they belong here"
            )
        if self._log.events.uncounted and not self._lost_count:
            self._lost_count = True
            self._terminal.say(
                "note: too many Events of other objects came to count them all; if one "
                "of these objects joins, some of its Events may be missing"
            )

    def _wants(self, event: ClusterEvent) -> bool:
        kind = "warning" if event.warning else "normal"
        if event.order[0] < self._from:
            return False
        if event.last is not None and event.last < self._oldest:
            return False
        if self._wanted.types and kind not in self._wanted.types:
            return False
        if self._wanted.since is None or event.last is None or event.seen is not None:
            return True
        return event.last >= self._now - self._wanted.since
