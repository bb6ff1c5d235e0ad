"""The past of a selection, folded from what a server lists and replays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.past.remembered import MOST_VERSIONS, Past, Remembered
from kubectl_spy.core.past.together import together
from kubectl_spy.core.times import rfc3339
from tests.builders import ALL_PODS, DEPLOYMENTS

BEGIN = 1_800_000_000.0
ALL_DEPLOYMENTS = Selection(resource=DEPLOYMENTS, namespace="shop")


def obj(name: str, revision: int, time: float, **more: Any) -> dict[str, Any]:
    """Return an object that was written at *time*, after BEGIN."""
    written = f"{rfc3339(BEGIN + time)[:19]}Z"
    born = f"{rfc3339(BEGIN + more.pop('born', -9999))[:19]}Z"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-{name}",
            "resourceVersion": str(revision),
            "creationTimestamp": born,
            "managedFields": [
                {"manager": "edit", "operation": "Update", "time": written}
            ],
        },
        **more,
    }


def event(
    kind: str, item: dict[str, Any], selection: Selection = ALL_PODS
) -> WatchEvent:
    return WatchEvent(EventType(kind), selection, 0.0, item)


def folded(
    listed: Sequence[dict[str, Any]],
    replayed: Sequence[tuple[str, dict[str, Any]]],
    *,
    since: float = 0.0,
    now: float = 3600.0,
    most: int = MOST_VERSIONS,
    **more: Any,
) -> Past:
    found = Remembered(ALL_PODS, BEGIN + since, most=most)
    found.see([event("LISTED", each) for each in listed])
    for kind, item in replayed:
        found.observe(event(kind, item))
    for item in more.pop("before", ()):
        found.before(item)
    return found.past(BEGIN + now, **more)


def records(*pasts: Past) -> list[ChangeRecord]:
    history = History()
    return [record for each in together(pasts) for record in history.observe(each)]


def short(found: Sequence[ChangeRecord]) -> list[tuple[str, str, float, bool]]:
    return [
        (each.type.value, each.name, each.time - BEGIN, each.initial) for each in found
    ]


def test_versions_since_then_are_patches_with_the_times_of_their_writes() -> None:
    past = folded(
        [obj("web", 9, 120, spec={"n": 3})],
        [
            ("ADDED", obj("web", 5, -60, born=-60, spec={"n": 1})),
            ("MODIFIED", obj("web", 7, 60, born=-60, spec={"n": 2})),
            ("MODIFIED", obj("web", 9, 120, born=-60, spec={"n": 3})),
        ],
    )
    found = records(past)
    assert short(found) == [
        ("ADDED", "web", 0.0, True),
        ("MODIFIED", "web", 60.0, False),
        ("MODIFIED", "web", 120.0, False),
    ]
    assert [step.as_json() for step in found[1].patch] == [
        {"op": "replace", "path": "/spec/n", "value": 2}
    ]
    assert found[1].previous == "5"
    assert found[1].managers == ("edit",)
    assert past.reaches and past.writes == 3


def test_what_was_not_written_was_as_it_is() -> None:
    past = folded([obj("quiet", 2, -500)], [("ADDED", obj("web", 5, 60, born=60))])
    assert short(records(past)) == [
        ("ADDED", "quiet", 0.0, True),
        ("ADDED", "web", 60.0, False),
    ]


def test_the_first_remembered_version_says_so() -> None:
    past = folded(
        [obj("web", 7, 60, spec={"n": 2})],
        [("MODIFIED", obj("web", 7, 60, spec={"n": 2}))],
        now=60.0,
    )
    assert not past.reaches
    (found,) = records(past)
    assert found.type is ChangeType.ADDED
    assert found.initial and found.first
    assert found.as_json()["firstRemembered"] is True


def test_the_value_before_is_had_from_an_older_list() -> None:
    past = folded(
        [obj("web", 7, 60, spec={"n": 2})],
        [("MODIFIED", obj("web", 7, 60, spec={"n": 2}))],
        before=[obj("web", 5, -60, spec={"n": 1})],
        now=60.0,
    )
    first, second = records(past)
    assert first.initial and not first.first
    assert (second.type, second.previous) == (ChangeType.MODIFIED, "5")


def test_what_was_deleted_was_there_before() -> None:
    past = folded([], [("DELETED", obj("web", 7, -60))])
    assert short(records(past)) == [
        ("ADDED", "web", 0.0, True),
        ("DELETED", "web", 3600.0, False),
    ]
    assert records(past)[1].bound
    assert records(past)[1].as_json()["timeIsBound"] is True


def test_what_was_deleted_before_is_not_there() -> None:
    replayed = [
        ("DELETED", obj("old", 4, -500)),
        ("ADDED", obj("web", 5, -60, born=-60)),
        ("ADDED", obj("new", 6, 60, born=60)),
    ]
    past = folded([obj("web", 5, -60), obj("new", 6, 60, born=60)], replayed)
    assert short(records(past)) == [
        ("ADDED", "web", 0.0, True),
        ("ADDED", "new", 60.0, False),
    ]


def test_an_object_that_was_written_after_then_is_not_said_to_have_been_so_before() -> (
    None
):
    """Its write is beyond the horizon: what it was before is not known."""
    past = folded([obj("web", 5, 30)], [("ADDED", obj("new", 6, 60, born=60))])
    assert [(each.name, each.first) for each in records(past)] == [
        ("web", True),
        ("new", False),
    ]


def test_nothing_replayed_is_a_list_as_it_is_now() -> None:
    past = folded(
        [obj("web", 5, 30)],
        [("ADDED", obj("new", 6, 60, born=60))],
        reason="may not watch pods",
    )
    assert short(records(past)) == [("ADDED", "web", 3600.0, True)]


def test_older_versions_are_given_up_and_that_is_said() -> None:
    versions = [
        ("MODIFIED", obj("web", 10 + number, number, spec={"n": number}))
        for number in range(100)
    ]
    past = folded([versions[-1][1]], versions, most=16)
    assert past.cut and not past.reaches
    found = records(past)
    assert len(found) <= 17
    assert found[0].initial and not found[0].first
    assert found[-1].document["spec"] == {"n": 99}
    assert found[0].time - BEGIN > 80


def test_types_are_merged_by_time_and_within_a_second_by_number() -> None:
    pods = folded([], [("ADDED", obj("pod", 12, 60, born=60))])
    owner = Remembered(ALL_DEPLOYMENTS, BEGIN)
    for kind, item in (
        ("ADDED", obj("web", 11, 60, born=60)),
        ("MODIFIED", obj("web", 13, 60, spec={"n": 1})),
        ("MODIFIED", obj("web", 14, 61, spec={"n": 2})),
    ):
        owner.observe(event(kind, item, ALL_DEPLOYMENTS))
    found = records(pods, owner.past(BEGIN + 100))
    assert [each.resource_version for each in found] == ["11", "12", "13", "14"]


def deployments(**more: Any) -> Past:
    """Return the past of a Deployment that was written after 60 s, and now."""
    found = Remembered(ALL_DEPLOYMENTS, BEGIN)
    item = obj("web", 11, 60, born=60)
    found.see([event("LISTED", item, ALL_DEPLOYMENTS)])
    found.observe(event("ADDED", item, ALL_DEPLOYMENTS))
    return found.past(BEGIN + 3600, **more)


def test_a_type_without_a_past_comes_last_and_moves_no_time_of_others() -> None:
    """Its list is of now, and no record is older than the one before it."""
    pods = folded([], [("ADDED", obj("pod", 12, 90, born=90))])
    assert short(records(deployments(reason="too old"), pods)) == [
        ("ADDED", "pod", 90.0, False),
        ("ADDED", "web", 3600.0, True),
    ]


def test_a_type_whose_older_versions_were_given_up_moves_no_time_of_others() -> None:
    versions = [("MODIFIED", obj("pod", 20 + at, 1800 + at)) for at in range(40)]
    pods = folded([versions[-1][1]], versions, most=16)
    assert pods.cut
    first, *rest = records(pods, deployments())
    assert (first.name, first.time - BEGIN) == ("web", 60.0)
    assert all(each.time - BEGIN > 1800 for each in rest)


def test_a_bound_is_tightened_by_the_writes_of_other_types() -> None:
    pods = folded([], [("DELETED", obj("pod", 12, -60))])
    owner = Remembered(ALL_DEPLOYMENTS, BEGIN)
    for revision, time in ((11, 60), (13, 61)):
        item = obj(f"web-{revision}", revision, time, born=time)
        owner.observe(event("ADDED", item, ALL_DEPLOYMENTS))
    found = records(pods, owner.past(BEGIN + 100))
    gone = next(each for each in found if each.type is ChangeType.DELETED)
    assert (gone.time - BEGIN, gone.bound) == (61.0, False)


def test_a_list_is_complete_only_where_the_memory_begins() -> None:
    """Before that, objects may have been there that are deleted and forgotten."""
    listed = [obj("old", 3, 60), obj("new", 9, 1800)]
    replayed = [("ADDED", obj("new", 9, 1800, born=1800))]
    for replay, second in ((replayed, 1800), ([], 3600)):
        past = folded(listed, replay)
        events = list(together([past]))
        (end,) = [each for each in events if each.type is EventType.SYNCED]
        assert end.time == BEGIN + second
        times = [each.time for each in events]
        assert times == sorted(times)
