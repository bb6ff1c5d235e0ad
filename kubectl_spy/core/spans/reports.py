"""Events over time: each once, with every time that it was seen to happen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.events import ClusterEvent, cluster_event
from kubectl_spy.core.record import ChangeRecord, ChangeType
from kubectl_spy.core.spans.clocks import Clocks, Instant
from kubectl_spy.core.spans.track import Track


class Sighting(NamedTuple):
    """A time at which an Event happened, and what it said then."""

    at: Instant
    event: ClusterEvent


class Report(NamedTuple):
    """An Event, and when it happened, as far as it was seen or says so itself."""

    times: tuple[Sighting, ...]
    before: float
    """Seconds that it had lasted already when it was first seen."""
    again: bool = False
    """Whether it had happened before that; it was let go."""
    gone: bool = False
    """Whether the Event was deleted since."""


class Reports:
    """Folds records of Events; asked by the uid of what they are about.

    They may come before that, and after it is gone. An Event that is deleted is just an
    hour old: what it told stays true.
    """

    def __init__(self) -> None:
        self._about: dict[str, dict[str, Report]] = {}
        self._of: dict[str, str] = {}
        """What each Event is about that is still there."""
        self._seen: dict[str, float] = {}
        """When something was reported of an object last."""

    def observe(self, record: ChangeRecord, since: float | None = None) -> str:
        """Take in a version of an Event; return the uid of what it is about, or "".

        *since* is as for an object's track.

        Its times tell nothing of the cluster's clock: anybody may write them.
        """
        if record.type in (ChangeType.DELETED, ChangeType.LEFT):
            self._end(record.uid or f"{record.namespace}/{record.name}")
            return ""
        if not isinstance(record.document, dict):
            return ""
        event = cluster_event(record.document)
        event = event._replace(uid=event.uid or f"{record.namespace}/{record.name}")
        about = f"node/{event.name}" if event.kind == "Node" else event.about
        if not about:
            return ""
        self._seen[about] = record.time
        self._of[event.uid] = about
        reports = self._about.setdefault(about, {})
        known = reports.get(event.uid)
        if known is not None and not _grown(known.times[-1].event, event):
            return ""
        reports[event.uid] = _report(record, event, known, since)
        return about

    def _end(self, uid: str) -> None:
        about = self._of.pop(uid, "")
        known = self._about.get(about, {}).get(uid)
        if known is not None:
            self._about[about][uid] = known._replace(gone=True)

    def of(self, *about: str) -> list[Report]:
        """Return what was reported of the object with those uids, by its beginning."""
        found = [each for uid in about for each in self._about.get(uid, {}).values()]
        return sorted(
            found, key=lambda each: (each.times[0].at.time, each.times[0].event.uid)
        )

    def sweep(self, tracks: Iterable[Track], *, before: float) -> None:
        """Let go what happened *before* a time to objects that have no track."""
        known = set[str]()
        for track in tracks:
            known.add(track.uid)
            if track.gvk.kind == "Node":
                known.add(f"node/{track.name}")
        for uid in [uid for uid in self._about if uid not in known]:
            if self._seen[uid] < before:
                self.forget(uid)

    def trim(
        self, kind: str, name: str, uid: str, before: float, clocks: Clocks
    ) -> None:
        """Forget when something happened to an object *before* a time.

        Of an Event that is still there the last time stays: it may happen again.
        """
        for about in (uid, f"node/{name}") if kind == "Node" else (uid,):
            reports = self._about.get(about, {})
            for each, known in list(reports.items()):
                kept = tuple(it for it in known.times if clocks.ours(it.at) >= before)
                if not kept and known.gone:
                    del reports[each]
                elif len(kept) < len(known.times) > 1:
                    times = kept or known.times[-1:]
                    reports[each] = known._replace(times=times, before=0.0, again=True)

    def forget(self, uid: str) -> None:
        """Let go what was reported of an object."""
        self._about.pop(uid, None)
        self._seen.pop(uid, None)


def _grown(before: ClusterEvent, after: ClusterEvent) -> bool:
    """Return whether it happened again: late versions tell of less, not of more."""
    later = (after.last or 0.0) > (before.last or 0.0)
    return after.times > before.times or (later and after.times == before.times)


def _report(
    record: ChangeRecord,
    event: ClusterEvent,
    known: Report | None,
    since: float | None,
) -> Report:
    seen = Sighting(Instant(record.time), event)
    first_time, last_time = event.first, event.last
    told = record.initial or record.listed
    if known is not None:
        if told and last_time is not None:
            seen = Sighting(Instant(last_time, record.time, since), event)
        return known._replace(times=(*known.times, seen))
    if told and first_time is not None:
        said = {first_time, max(first_time, last_time or first_time)}
        times = tuple(
            Sighting(Instant(each, record.time, since), event) for each in sorted(said)
        )
        return Report(times, 0.0)
    lasted = 0.0
    if first_time is not None and last_time is not None:
        lasted = max(last_time - first_time, 0.0)
    return Report((seen,), lasted)
