from __future__ import annotations

from typing import Any

from kubectl_spy.core.objects import EventType
from kubectl_spy.sources.watching.watch_stream import RecentVersions

ADDED, MODIFIED, DELETED = EventType.ADDED, EventType.MODIFIED, EventType.DELETED


def version(number: int, uid: str = "1") -> dict[str, Any]:
    return {"metadata": {"uid": uid, "resourceVersion": str(number)}}


def test_a_version_comes_again_whatever_came_between() -> None:
    recent = RecentVersions()
    for number in range(5):
        assert not recent.repeats(MODIFIED, version(number))
    assert recent.repeats(MODIFIED, version(2))
    assert recent.repeats(ADDED, version(2))
    assert not recent.repeats(MODIFIED, version(2, uid="2"))


def test_a_version_may_be_the_last_and_then_the_one_that_was_deleted() -> None:
    recent = RecentVersions()
    assert not recent.repeats(MODIFIED, version(2))
    assert not recent.repeats(DELETED, version(2))
    assert recent.repeats(DELETED, version(2))


def test_versions_recur_once_forgotten() -> None:
    recent = RecentVersions()
    recent.repeats(MODIFIED, version(2))
    recent.clear()
    assert not recent.repeats(MODIFIED, version(2))


def test_versions_without_identity_are_never_known() -> None:
    recent = RecentVersions()
    for metadata in ({}, {"uid": "1"}, {"resourceVersion": "2"}):
        assert not recent.repeats(MODIFIED, {"metadata": metadata})
        assert not recent.repeats(MODIFIED, {"metadata": metadata})


def test_remembered_versions_are_bounded() -> None:
    recent = RecentVersions()
    for number in range(5000):
        assert not recent.repeats(MODIFIED, version(number))
    assert not recent.repeats(MODIFIED, version(0))
    assert recent.repeats(MODIFIED, version(4999))
