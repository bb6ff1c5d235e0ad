"""The writes that may cause a failure, and how many of them are kept."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.causes.writes import Writes, key_of
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.objects import EventType, WatchEvent
from tests.builders import CREATED, event, obj, pod
from tests.recordings import START, first_list
from tests.tracing import selection_of


def test_writes_of_endlessly_many_objects_are_bounded() -> None:
    history, writes, seen = History(), Writes(), Inventory()
    for listed in first_list(time=START):
        assert not list(history.observe(listed))
    (record,) = history.observe(event("ADDED", pod("web"), time=START + 1))
    made = [record._replace(name=f"web-{n}", uid=f"{n}") for n in range(10_002)]
    assert all(writes.observe(each, seen) for each in made[:10_000])
    assert writes.observe(made[0], seen)  # written again: it is not the oldest now
    for each in made[10_000:]:
        assert writes.observe(each, seen)
    kept = [bool(writes.of(key_of(each))) for each in made]
    assert kept == [True, False, False, *[True] * 9_999]


def leaving(name: str) -> dict[str, Any]:
    return obj("Namespace", name, None, metadata={"deletionTimestamp": CREATED})


@pytest.mark.parametrize(("space", "counts"), [("blue", False), ("default", True)])
def test_what_a_namespace_takes_along_nobody_deleted(space: str, counts: bool) -> None:
    history, writes, seen = History(), Writes(), Inventory()
    namespaces = selection_of("v1", "Namespace")
    events = [
        *first_list(pod("a", namespace=space), time=START),
        WatchEvent(EventType.ADDED, namespaces, START, leaving("blue")),
        event("DELETED", pod("a", namespace=space), time=START + 1),
    ]
    found = []
    for each in events:
        for record in history.observe(each):
            found.append(writes.observe(record, seen))
            seen.observe(record)
    assert (found[-1] is not None) == counts
