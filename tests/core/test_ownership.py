"""What belongs to an object, whichever stream is first to tell."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.core.ownership import Family, owners_of
from tests.builders import ALL_PODS, event

ROOTS, SETS, PODS, EVENTS = (replace(ALL_PODS, name=name) for name in "drpe")


def thing(uid: str, *owners: str, **more: Any) -> dict[str, Any]:
    references = [{"uid": owner, "kind": "X", "name": owner} for owner in owners]
    return {
        "metadata": {"uid": uid, "name": uid, "ownerReferences": references},
        **more,
    }


def about(uid: str, of: str) -> dict[str, Any]:
    return thing(uid, kind="Event", involvedObject={"uid": of})


def admitted(family: Family, *events: WatchEvent) -> list[str]:
    """Return the uids of what is let through, in order."""
    through = (each for one in events for each in family.admit(one))
    return [each.object["metadata"]["uid"] for each in through if each.object]


def added(selection: Selection, obj: dict[str, Any], time: float = 0) -> WatchEvent:
    return event("ADDED", obj, selection=selection, time=time)


TREE = {
    id(ROOTS): [added(ROOTS, thing("deploy"))],
    id(SETS): [
        added(SETS, thing("set", "deploy")),
        added(SETS, thing("other-set", "other-deploy")),
    ],
    id(PODS): [
        added(PODS, thing("pod-1", "set")),
        added(PODS, thing("other-pod", "other-set")),
        added(PODS, thing("pod-2", "set")),
        added(PODS, thing("alone")),
    ],
    id(EVENTS): [
        added(EVENTS, about("event-1", "pod-1")),
        added(EVENTS, about("other-event", "other-pod")),
        added(EVENTS, about("event-2", "deploy")),
    ],
}


@given(st.permutations([key for key, events in TREE.items() for _ in events]))
def test_the_family_is_the_same_in_whatever_order_streams_run(turns: list[int]) -> None:
    family = Family((ROOTS,))
    waiting = {key: list(events) for key, events in TREE.items()}
    seen = admitted(family, *(waiting[key].pop(0) for key in turns))
    members = ["deploy", "set", "pod-1", "pod-2", "event-1", "event-2"]
    assert sorted(seen) == sorted(members)
    parents = {"set": "deploy", "pod-1": "set", "pod-2": "set", "event-1": "pod-1"}
    for child, parent in parents.items():
        assert seen.index(parent) < seen.index(child)


def test_what_happens_to_a_member_is_let_through_and_to_a_stranger_not() -> None:
    family = Family((ROOTS,))
    started = [each for events in TREE.values() for each in events]
    admitted(family, *started)
    later = [
        event("MODIFIED", thing(uid, owner), selection=PODS)
        for uid, owner in (("pod-1", "set"), ("other-pod", "other-set"))
    ]
    gone = event("DELETED", thing("pod-1", "set"), selection=PODS)
    late = added(EVENTS, about("event-3", "pod-1"))
    assert admitted(family, *later, gone, late) == ["pod-1", "pod-1", "event-3"]


def test_only_the_newest_of_what_is_held_back_is_let_go() -> None:
    family = Family((ROOTS,))
    held = [
        event("MODIFIED", thing("pod", "set", number=number), selection=PODS)
        for number in (1, 2)
    ]
    assert admitted(family, *held) == []
    (root,) = family.admit(added(ROOTS, thing("deploy")))
    adopted, pod = family.admit(added(SETS, thing("set", "deploy")))
    assert (root.object, adopted.object, pod.object) == (
        thing("deploy"),
        thing("set", "deploy"),
        thing("pod", "set", number=2),
    )


def test_what_is_deleted_before_its_owner_is_seen_is_forgotten() -> None:
    family = Family((ROOTS,))
    pod = thing("pod", "deploy")
    assert admitted(
        family,
        added(PODS, pod),
        event("DELETED", pod, selection=PODS),
        added(ROOTS, thing("deploy")),
    ) == ["deploy"]


def test_strangers_that_come_and_go_leave_nothing_behind() -> None:
    family = Family((ROOTS,))
    tracemalloc.start()
    try:
        for number in range(5000):
            pod = thing(f"pod-{number}", "unseen")
            admitted(family, added(PODS, pod), event("DELETED", pod, selection=PODS))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 100_000


def test_an_orphan_that_is_adopted_joins() -> None:
    family = Family((ROOTS,))
    events = (
        added(ROOTS, thing("deploy")),
        added(PODS, thing("pod")),
        event("MODIFIED", thing("pod", "deploy"), selection=PODS),
    )
    assert admitted(family, *events) == ["deploy", "pod"]


def test_nothing_is_held_back_for_ever() -> None:
    family = Family((ROOTS,))
    admitted(family, added(PODS, thing("pod", "unseen"), time=0))
    admitted(family, added(PODS, thing("other", "unseen"), time=61))
    assert admitted(family, added(ROOTS, thing("unseen"), time=62)) == [
        "unseen",
        "other",
    ]


def test_an_object_that_two_streams_hold_comes_by_one() -> None:
    both = Family((ROOTS, PODS))
    pod = thing("pod", "deploy")
    events = (
        added(ROOTS, thing("deploy")),
        added(SETS, pod),
        added(PODS, pod),
        event("MODIFIED", pod, selection=SETS),
    )
    assert admitted(both, *events) == ["deploy", "pod", "pod"]


def test_lists_come_through_for_what_is_inferred_from_them() -> None:
    family = Family((ROOTS,))
    marks = [event(kind, selection=PODS) for kind in ("LISTING", "SYNCED")]
    assert [each for mark in marks for each in family.admit(mark)] == marks


def test_what_a_list_again_no_longer_holds_is_not_waited_for() -> None:
    family = Family((ROOTS,))
    again = (
        added(PODS, thing("pod", "deploy")),
        event("LISTING", selection=PODS),
        event("SYNCED", selection=PODS),
        added(ROOTS, thing("deploy")),
    )
    assert admitted(family, *again) == ["deploy"]


def test_owners_of_hostile_objects_are_none() -> None:
    for references in (None, 5, [None, 5, {}, {"uid": 5}, {"uid": ""}], {"uid": "u"}):
        assert owners_of({"metadata": {"ownerReferences": references}}) == ()
    assert owners_of({"kind": "Event", "involvedObject": 5}) == ()
    assert owners_of({"kind": "Event", "regarding": {"uid": "u"}}) == ("u",)
