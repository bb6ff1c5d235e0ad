"""Events over time: each once, with every time that it was seen to happen."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.events import ClusterEvent, cluster_event
from kubectl_spy.core.record import ChangeRecord, ChangeType
from kubectl_spy.core.spans.clocks import Instant

_KEPT = 200
"""Events that are kept of one object, and times of one Event: the latest."""


class Sighting(NamedTuple):
    """A time at which an Event happened, and what it said then."""

    at: Instant
    event: ClusterEvent


class Report(NamedTuple):
    """An Event, and when it happened, as far as it was seen or says so itself."""

    times: tuple[Sighting, ...]
    before: float
    """Seconds that it had lasted already when it was first seen."""


class Reports:
    """Folds records of Events; asked by the uid of what they are about.

    They may come before that, and after it is gone. An Event that is deleted is just an
    hour old: what it told stays true.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, Report]] = {}

    def observe(self, record: ChangeRecord) -> None:
        """Take in a version of an Event.

        Its times tell nothing of the cluster's clock: anybody may write them.
        """
        gone = record.type in (ChangeType.DELETED, ChangeType.LEFT)
        if gone or not isinstance(record.document, dict):
            return
        event = cluster_event(record.document)
        event = event._replace(uid=event.uid or f"{record.namespace}/{record.name}")
        about = f"node/{event.name}" if event.kind == "Node" else event.about
        if not about:
            return
        reports = self._about.setdefault(about, {})
        known = reports.get(event.uid)
        if known is not None and not _grown(known.times[-1].event, event):
            return
        reports.pop(event.uid, None)  # what happens again comes last
        reports[event.uid] = _report(record, event, known)
        if len(reports) > _KEPT:
            reports.pop(next(iter(reports)))

    def of(self, *about: str) -> list[Report]:
        """Return what was reported of the object with those uids, by its beginning."""
        found = [each for uid in about for each in self._about.get(uid, {}).values()]
        return sorted(
            found, key=lambda each: (each.times[0].at.time, each.times[0].event.uid)
        )

    def forget(self, uid: str) -> None:
        """Let go what was reported of an object."""
        self._about.pop(uid, None)


def _grown(before: ClusterEvent, after: ClusterEvent) -> bool:
    """Return whether it happened again: late versions tell of less, not of more."""
    later = (after.last or 0.0) > (before.last or 0.0)
    return after.times > before.times or (later and after.times == before.times)


def _report(record: ChangeRecord, event: ClusterEvent, known: Report | None) -> Report:
    seen = Sighting(Instant(record.time), event)
    if known is not None:
        first, *rest = known.times
        return known._replace(times=(first, *rest[1 - _KEPT :], seen))
    first_time, last_time = event.first, event.last
    if record.initial and first_time is not None:
        said = {first_time, max(first_time, last_time or first_time)}
        times = tuple(
            Sighting(Instant(each, record.time), event) for each in sorted(said)
        )
        return Report(times, 0.0)
    lasted = 0.0
    if first_time is not None and last_time is not None:
        lasted = max(last_time - first_time, 0.0)
    return Report((seen,), lasted)
