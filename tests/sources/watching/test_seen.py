from __future__ import annotations

from typing import Any

from kubectl_spy.core.objects import EventType
from kubectl_spy.sources.watching.seen import Seen

ADDED, MODIFIED, DELETED = EventType.ADDED, EventType.MODIFIED, EventType.DELETED


def version(number: int, uid: str = "1") -> dict[str, Any]:
    return {"metadata": {"uid": uid, "resourceVersion": str(number)}}


def test_a_version_comes_again_whatever_came_between() -> None:
    seen = Seen()
    for number in range(5):
        assert not seen.again(MODIFIED, version(number))
    assert seen.again(MODIFIED, version(2))
    assert seen.again(ADDED, version(2))
    assert not seen.again(MODIFIED, version(2, uid="2"))


def test_a_version_may_be_the_last_and_then_the_one_that_was_deleted() -> None:
    seen = Seen()
    assert not seen.again(MODIFIED, version(2))
    assert not seen.again(DELETED, version(2))
    assert seen.again(DELETED, version(2))


def test_versions_recur_once_forgotten() -> None:
    seen = Seen()
    seen.again(MODIFIED, version(2))
    seen.forget()
    assert not seen.again(MODIFIED, version(2))


def test_what_has_no_identity_is_never_known() -> None:
    seen = Seen()
    for metadata in ({}, {"uid": "1"}, {"resourceVersion": "2"}):
        assert not seen.again(MODIFIED, {"metadata": metadata})
        assert not seen.again(MODIFIED, {"metadata": metadata})


def test_what_is_remembered_has_a_bound() -> None:
    seen = Seen()
    for number in range(5000):
        assert not seen.again(MODIFIED, version(number))
    assert not seen.again(MODIFIED, version(0))
    assert seen.again(MODIFIED, version(4999))
