"""Which Events are about an object, and which about others that had its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kubectl_spy.core.cluster.event_store import EventStore, ObservedEvent
from kubectl_spy.core.cluster.relations import Relations
from kubectl_spy.extras.spans.model.clocks import WHOLE_SECOND, Clocks
from kubectl_spy.extras.spans.model.track import Track


def events_about(
    track: Track,
    events: EventStore,
    tracks: Mapping[str, Track],
    relations: Relations,
    clocks: Clocks,
) -> list[ObservedEvent]:
    """Return the *events* about an object, by their first occurrence."""
    found = [*events.about(track.uid).values()]
    for alias in relations.aliases(track.uid):
        namesakes = [tracks[uid] for uid in relations.called(alias)]
        found += (
            each
            for each in events.about(alias).values()
            if _subject(each, namesakes, clocks) is track
        )
    return found and sorted(
        found,
        key=lambda it: (it.occurrences[0].at.time, it.occurrences[0].event.order),
    )


def _subject(
    event: ObservedEvent, namesakes: Iterable[Track], clocks: Clocks
) -> Track | None:
    """Return the one of several *namesakes*, one after another, that it is about.

    That is the last one that existed when it first happened. An Event before all of
    them is about the first, unless it has no uid: then its object was gone before.
    """
    in_turn = sorted(namesakes, key=lambda each: (_created(each, clocks), each.uid))
    at = clocks.local(event.occurrences[0].at) + WHOLE_SECOND
    existing = [each for each in in_turn if _created(each, clocks) <= at]
    if existing:
        return existing[-1]
    last = clocks.local(event.occurrences[-1].at) + WHOLE_SECOND
    if last < _created(in_turn[0], clocks) and not event.latest.about:
        return None
    return in_turn[0]


def _created(track: Track, clocks: Clocks) -> float:
    created = track.created
    return track.first_seen if created is None else clocks.local(created)
