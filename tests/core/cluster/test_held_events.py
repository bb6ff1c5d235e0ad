"""Events that wait for their objects: so many, so large, and the rest counted."""

from __future__ import annotations

from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.core.cluster.held_events import HeldEvents


def said(message: str, count: int = 1, *, at: float = 0.0) -> ClusterEvent:
    return cluster_event({"message": message, "count": count})._replace(last=at)


def test_the_last_version_of_each_is_held() -> None:
    held = HeldEvents()
    held.hold("a", "e1", said("x"))
    held.hold("a", "e1", said("x", 4))
    held.hold("b", "e2", said("y"))
    events, dropped = held.release("a")
    assert ([each.times for each in events.values()], dropped) == ([4], 0)
    assert held.release("a") == ({}, 0)


def test_nothing_is_dropped_unasked() -> None:
    held = HeldEvents()
    for number in range(12_000):
        held.hold("a", f"e{number}", said("x"))
    events, dropped = held.release("a")
    assert (len(events), dropped) == (12_000, 0)


def test_large_messages_are_held_until_they_are_too_much() -> None:
    held = HeldEvents()
    for number in range(40):
        held.hold("a", f"e{number}", said("x" * 1024 * 1024, at=number))
    held.trim()
    events, dropped = held.release("a")
    assert (len(events), dropped) == (32, 8)
    assert next(iter(events)) == "e8"


def test_an_event_above_the_limit_is_held_alone() -> None:
    held = HeldEvents()
    held.hold("a", "e1", said("x" * 40 * 1024 * 1024))
    held.trim()
    assert list(held.release("a")[0]) == ["e1"]


def test_the_oldest_events_are_dropped_first() -> None:
    for turn in (1, -1):
        held = HeldEvents()
        for number in range(10_002)[::turn]:
            held.hold(f"o{number % 2}", f"e{number}", said("x", at=number))
        held.trim()
        assert [len(held.release(f"o{at}")[0]) for at in range(2)] == [5_000, 5_000]


def test_a_repeated_event_is_not_old() -> None:
    held = HeldEvents()
    for number in range(12_000):
        held.hold("again", "e", said("x", number, at=number))
        held.hold("a", f"e{number}", said("x", at=number))
        held.trim()
    events, dropped = held.release("again")
    assert ([each.times for each in events.values()], dropped) == ([11_999], 0)
    assert len(held.release("a")[0]) == 9_999


def test_uncounted_drops_are_known() -> None:
    held = HeldEvents()
    event = said("x")
    for number in range(110_002):
        held.hold("a", f"e{number}", event)
    held.trim()
    events, dropped = held.release("a")
    assert (len(events), dropped, held.uncounted) == (10_000, 100_000, 2)
