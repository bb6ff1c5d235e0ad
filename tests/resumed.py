"""Recordings of a recorder that was killed, and started again with --resume."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_spy.core.objects import Selection, WatchEvent
from tests.builders import ALL_PODS, SOME_PODS, event, pod
from tests.recordings import START, first_list, go_on, record

Change = tuple[str, dict[str, Any]]


def record_resumed(file: Path, chance: random.Random) -> None:
    """Record runs of which each goes on from before the end of the one before."""
    selections = chance.choice([[ALL_PODS], [ALL_PODS, SOME_PODS]])
    story = list(pods_in_turn(chance))
    reached = dict.fromkeys(selections, chance.randrange(len(story)))
    events = [
        each
        for selection in selections
        for each in first_list(time=START, selection=selection)
    ]
    events += in_turn(story, dict.fromkeys(selections, 0), reached, chance)
    record(file, events, selections=selections)
    for _ in range(chance.randrange(1, 4)):
        begins = {
            each: max(0, at - chance.randrange(12)) for each, at in reached.items()
        }
        reached = {
            each: chance.randrange(at, len(story) + 1) for each, at in begins.items()
        }
        events = [
            each
            for selection, at in begins.items()
            for each in past_list(selection, story[:at])
        ]
        listed = len(events)
        events += in_turn(story, begins, reached, chance)
        for each in selections:
            if chance.random() < 0.7:  # else it was killed before
                at = chance.randrange(listed, len(events) + 1)
                events.insert(at, event("SYNCED", time=START + 999, selection=each))
        go_on(file, events)


def pods_in_turn(chance: random.Random) -> Iterator[Change]:
    uids: dict[str, int] = {}
    for version in range(1, chance.choice([20, 80])):
        name = chance.choice("ab")
        kind = "MODIFIED" if name in uids else "ADDED"
        uid = uids.setdefault(name, version)
        if kind == "MODIFIED" and chance.random() < 0.2:
            kind = "DELETED"
            del uids[name]
        # A version that differs in nothing but its number is not recorded.
        phase = f"{version // chance.choice([1, 1, 4])}"
        yield kind, pod(name, rv=f"{version}", uid=f"{name}-{uid}", phase=phase)


def past_list(selection: Selection, story: list[Change]) -> Iterator[WatchEvent]:
    """Yield the list of what is there after *story*."""
    there: dict[str, dict[str, Any]] = {}
    for kind, obj in story:
        there[obj["metadata"]["name"]] = obj
        if kind == "DELETED":
            del there[obj["metadata"]["name"]]
    version, at = f"{len(story)}", START + 999
    yield event("LISTING", time=at, selection=selection, since=START, version=version)
    for obj in there.values():
        yield event("LISTED", obj, time=at, selection=selection)


def in_turn(
    story: list[Change],
    begins: dict[Selection, int],
    ends: dict[Selection, int],
    chance: random.Random,
) -> list[WatchEvent]:
    """Return what each stream brings of *story*: some are slower than others."""
    at, events = dict(begins), []
    while slower := [each for each in at if at[each] < ends[each]]:
        each = chance.choice(slower)
        kind, obj = story[at[each]]
        at[each] += 1
        events.append(event(kind, obj, time=START + at[each], selection=each))
    return events
