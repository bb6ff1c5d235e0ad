"""The writes that may cause a failure, and how many of them are kept."""

from __future__ import annotations

from kubectl_spy.core.causes.writes import Writes, key_of
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Inventory
from tests.builders import event, pod
from tests.recordings import START, first_list


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
