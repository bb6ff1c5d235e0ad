"""Events by their objects: which are held, which dropped, and which happen again."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.event_store import EventStore
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.times import rfc3339
from tests.core.cluster.test_event_log import EVENTS
from tests.tracing import START

MIB = 1024 * 1024


class Told:
    """A store that is told of Events. It knows the objects in *known*."""

    def __init__(self, *, each_time: bool = False, deleted: int | None = None) -> None:
        self.known: set[str] = set()
        self.store = EventStore(
            self.known.__contains__, each_time=each_time, deleted=deleted
        )

    def tell(
        self,
        about: str,
        key: str,
        message: str = "x",
        count: int = 1,
        *,
        at: float | None = None,
        kind: ChangeType = ChangeType.MODIFIED,
    ) -> ClusterEvent | None:
        document = {
            "involvedObject": {"uid": about},
            "message": message,
            "count": count,
            "lastTimestamp": at and rfc3339(START + at),
        }
        gvk = EVENTS.resource.gvk
        record = ChangeRecord(
            1, START, kind, EVENTS, gvk, uid=key, name=key, document=document
        )
        return self.store.observe(record)

    def join(self, about: str) -> dict[str, list[int]]:
        """Return the counts of the Events of an object, which is known from now on."""
        self.known.add(about)
        found = self.store.join(about)
        assert found.items() <= self.store.about(about).items()
        return {
            key: [it.event.times for it in each.occurrences]
            for key, each in found.items()
        }


def test_the_last_version_of_each_is_held() -> None:
    told = Told()
    told.tell("a", "e1")
    told.tell("a", "e1", count=4)
    told.tell("b", "e2")
    assert told.join("a") == {"e1": [4]}
    assert told.join("a") == {}
    assert told.store.missing == 0


@pytest.mark.parametrize("known", [True, False])
def test_each_occurrence_may_be_kept(known: bool) -> None:
    told = Told(each_time=True)
    if known:
        told.join("a")
    for count in (1, 2, 4):
        told.tell("a", "e1", count=count)
    told.join("a")
    (event,) = told.store.about("a").values()
    assert [each.event.times for each in event.occurrences] == [1, 2, 4]


@pytest.mark.parametrize("each_time", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_only_what_happened_again_is_new(known: bool, each_time: bool) -> None:
    told = Told(each_time=each_time)
    if known:
        told.join("a")
    assert told.tell("a", "e1", count=3, at=5)
    assert told.tell("a", "e1", count=3, at=6)
    for old in ((3, 6), (3, 5), (2, 7)):
        assert told.tell("a", "e1", "old", count=old[0], at=old[1]) is None
    told.join("a")
    (event,) = told.store.about("a").values()
    assert (event.latest.message, event.latest.last) == ("x", START + 6)
    assert len(event.occurrences) == (2 if each_time else 1)


def test_deleted_events_are_known_up_to_a_limit() -> None:
    told = Told(deleted=2)
    told.join("a")
    for key in ("e1", "e2", "e3"):
        assert told.tell("a", key)
        told.tell("a", key, kind=ChangeType.DELETED)
    assert [bool(told.tell("a", key)) for key in ("e3", "e2", "e1")] == [0, 0, 1]


def test_nothing_is_dropped_unasked() -> None:
    told = Told()
    for number in range(12_000):
        told.tell("a", f"e{number}")
    assert (len(told.join("a")), told.store.missing) == (12_000, 0)


def test_large_messages_are_held_until_they_are_too_much() -> None:
    told = Told()
    for number in range(40):
        told.tell("a", f"e{number}", "x" * MIB, at=number)
    told.store.trim()
    held = told.join("a")
    assert (len(held), told.store.missing) == (32, 8)
    assert next(iter(held)) == "e8"


def test_an_event_above_the_limit_is_held_alone() -> None:
    told = Told()
    told.tell("a", "e0")
    told.tell("a", "e1", "x" * 40 * MIB, at=1)
    told.store.trim()
    assert list(told.join("a")) == ["e1"]


def test_the_oldest_events_are_dropped_first() -> None:
    for turn in (1, -1):
        told = Told()
        for number in range(10_002)[::turn]:
            told.tell(f"o{number % 2}", f"e{number}", at=number)
        told.store.trim()
        assert [len(told.join(f"o{at}")) for at in range(2)] == [5_000, 5_000]


def test_a_repeated_event_is_not_old() -> None:
    told = Told()
    for number in range(12_000):
        told.tell("again", "e", count=number, at=number)
        told.tell("a", f"e{number}", at=number)
        told.store.trim()
    assert told.join("again") == {"e": [11_999]}
    assert (len(told.join("a")), told.store.missing) == (9_999, 2_001)


def test_uncounted_drops_are_known() -> None:
    told = Told()
    for number in range(110_002):
        told.tell("a", f"e{number}")
    told.store.trim()
    held = told.join("a")
    assert (len(held), told.store.missing) == (10_000, 100_000)
    assert told.store.uncounted == 2
