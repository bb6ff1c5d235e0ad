"""What belongs to an object, whichever stream is first to tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.cli.run.owned import admitted_by
from kubectl_spy.core.changes.record import Listed, Refused
from kubectl_spy.core.cluster.events import tells_fate
from kubectl_spy.core.cluster.references import owners_of
from kubectl_spy.core.cluster.target_filter import TargetFilter
from kubectl_spy.core.objects import EventType, GroupVersionKind, Selection, WatchEvent
from tests.builders import PODS as PODS_RESOURCE
from tests.builders import event


def stream(kind: str, name: str | None = None) -> Selection:
    gvk = GroupVersionKind("apps", "v1", kind)
    resource = PODS_RESOURCE._replace(gvk=gvk)
    return Selection(resource=resource, namespace="shop", name=name)


ROOTS = stream("Deployment", "deploy")
SETS, PODS, EVENTS = (stream(kind) for kind in ("ReplicaSet", "Pod", "Event"))
KINDS = {"deploy": "Deployment", "set": "ReplicaSet", "pod": "Pod", "event": "Event"}


def kind_of(uid: str) -> str:
    return next((KINDS[word] for word in uid.split("-") if word in KINDS), "Other")


def thing(uid: str, *owners: str, **more: Any) -> dict[str, Any]:
    references = [
        {"uid": each, "apiVersion": "apps/v1", "kind": kind_of(each), "name": each}
        for each in owners
    ]
    metadata = {"uid": uid, "name": uid, "ownerReferences": references}
    return {"kind": kind_of(uid), "metadata": metadata, **more}


def about(uid: str, of: str) -> dict[str, Any]:
    regarded = {"uid": of, "kind": kind_of(of), "name": of}
    return thing(uid, kind="Event", involvedObject=regarded)


def filter_() -> TargetFilter:
    return TargetFilter((ROOTS,), (SETS, PODS, EVENTS))


def admitted(watched: TargetFilter, *events: WatchEvent) -> list[str]:
    """Return the uids of what is let through, in order."""
    through = [each for one in events for each in watched.admit(one)]
    for each in through:  # as `History` tells
        if each.type is EventType.SYNCED:
            watched.coverage.observe(Listed(each.selection, 0, each.time))
        elif each.type is EventType.REFUSED:
            watched.coverage.observe(Refused(each.selection, "", each.time))
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
    watched = filter_()
    waiting = {key: list(events) for key, events in TREE.items()}
    seen = admitted(watched, *(waiting[key].pop(0) for key in turns))
    members = ["deploy", "set", "pod-1", "pod-2", "event-1", "event-2"]
    assert sorted(seen) == sorted(members)
    parents = {"set": "deploy", "pod-1": "set", "pod-2": "set", "event-1": "pod-1"}
    for child, parent in parents.items():
        assert seen.index(parent) < seen.index(child)


def test_only_changes_of_members_pass() -> None:
    watched = filter_()
    started = [each for events in TREE.values() for each in events]
    admitted(watched, *started)
    later = [
        event("MODIFIED", thing(uid, owner), selection=PODS)
        for uid, owner in (("pod-1", "set"), ("other-pod", "other-set"))
    ]
    gone = event("DELETED", thing("pod-1", "set"), selection=PODS)
    late = added(EVENTS, about("event-3", "pod-1"))
    assert admitted(watched, *later, gone, late) == ["pod-1", "pod-1", "event-3"]


def test_all_that_happened_to_what_was_held_back_is_let_through() -> None:
    watched = filter_()
    pod = thing("pod", "set")
    held = [
        event(kind, {**pod, "number": number}, selection=PODS)
        for number, kind in enumerate(("ADDED", "MODIFIED", "DELETED"))
    ]
    assert admitted(watched, *held) == []
    assert admitted(watched, added(ROOTS, thing("deploy"))) == ["deploy"]
    adopted, *rest = watched.admit(added(SETS, thing("set", "deploy")))
    assert (adopted.object, rest) == (thing("set", "deploy"), held)


def numbers(events: Iterable[WatchEvent], selection: Selection) -> list[Any]:
    """Return the numbers of the objects in events of *selection*."""
    return [
        each.object["number"]
        for each in events
        if each.object and each.selection is selection
    ]


def test_events_that_are_released_together_stay_in_the_order_of_their_stream() -> None:
    watched = filter_()
    sets = [
        event(kind, thing(uid, "deploy", number=number), selection=SETS)
        for number, (kind, uid) in enumerate(
            [
                ("LISTED", "set-1"),
                ("MODIFIED", "set-1"),
                ("ADDED", "set-2"),
                ("DELETED", "set-1"),
                ("MODIFIED", "set-2"),
            ]
        )
    ]
    assert admitted(watched, *sets) == []
    deploy, *rest = watched.admit(added(ROOTS, thing("deploy")))
    assert (deploy.object, rest) == (thing("deploy"), sets)


@given(st.permutations([0, 0, 0, 1, 1, 1, 1]), st.integers(0, 7))
def test_streams_keep_their_order_unless_an_owner_would_come_late(
    turns: list[int], place: int
) -> None:
    """Pods belong to sets, which belong to the Deployment that comes at *place*."""
    watched, members = filter_(), ("set-a", "set-b", "set-a")
    sets = [
        added(SETS, thing(uid, "deploy", number=number))
        for number, uid in enumerate(members)
    ]
    pods = [
        added(PODS, thing(f"pod-{owner}", owner, number=number))
        for number, owner in enumerate(("set-a", "set-b", "set-b", "set-a"))
    ]
    waiting = [iter(sets), iter(pods)]
    steps = [next(waiting[turn]) for turn in turns]
    steps.insert(place, added(ROOTS, thing("deploy")))
    through = [each for step in steps for each in watched.admit(step)]
    assert len(through) == len(steps)
    assert numbers(through, SETS) == [0, 1, 2]
    if place == 7:
        assert numbers(through, PODS) == [0, 1, 2, 3]
    seen = [each.object["metadata"]["uid"] for each in through if each.object]
    for owner in ("set-a", "set-b"):
        assert seen.index("deploy") < seen.index(owner) < seen.index(f"pod-{owner}")


def test_an_owner_is_first_also_if_its_stream_had_it_later() -> None:
    """Owners may have the type of what they own: streams do not tell them first."""
    watched = filter_()
    chain = [f"set-{number}" for number in range(5000)]
    held = [
        added(SETS, thing(uid, owner))
        for uid, owner in zip(chain, [*chain[1:], "deploy"], strict=True)
    ]
    assert admitted(watched, *held) == []
    seen = admitted(watched, added(ROOTS, thing("deploy")))
    assert seen == ["deploy", *reversed(chain)]


def test_objects_of_other_owners_are_not_held() -> None:
    watched = filter_()
    strangers = (
        added(PODS, thing("pod", "other-deploy")),  # not the one asked for
        added(PODS, thing("pod-1", "job")),  # of a type that nobody watches
    )
    assert admitted(watched, *strangers) == []
    later = (added(stream("Job"), thing("job")), added(ROOTS, thing("deploy")))
    assert admitted(watched, *later) == ["deploy"]


def test_an_orphan_that_is_adopted_joins() -> None:
    watched = filter_()
    events = (
        added(ROOTS, thing("deploy")),
        added(PODS, thing("pod")),
        event("MODIFIED", thing("pod", "deploy"), selection=PODS),
    )
    assert admitted(watched, *events) == ["deploy", "pod"]


def test_while_a_first_list_is_missing_what_may_belong_is_held_back() -> None:
    watched = filter_()
    for stream in (ROOTS, PODS, EVENTS):
        admitted(watched, event("SYNCED", selection=stream))
    admitted(watched, added(PODS, thing("pod", "set"), time=0))
    admitted(watched, added(PODS, thing("pod-1", "set"), time=600))
    owners = (
        added(ROOTS, thing("deploy"), time=601),
        added(SETS, thing("set", "deploy"), time=601),
    )
    assert admitted(watched, *owners) == ["deploy", "set", "pod", "pod-1"]


@pytest.mark.parametrize(("refused", "patience"), [(EVENTS, 180), (None, 3600)])
def test_a_child_is_held_back_for_a_time_and_longer_while_a_list_is_missing(
    refused: Selection | None, patience: int
) -> None:
    watched = filter_()
    for stream in (ROOTS, PODS, SETS if refused else EVENTS):
        admitted(watched, event("SYNCED", selection=stream))
    if refused:
        admitted(watched, event("REFUSED", selection=refused))
    admitted(watched, added(PODS, thing("pod", "set"), time=0))
    admitted(watched, added(PODS, thing("pod-1", "set"), time=patience + 1))
    owners = (
        added(ROOTS, thing("deploy"), time=patience + 2),
        added(SETS, thing("set", "deploy"), time=patience + 2),
    )
    assert admitted(watched, *owners) == ["deploy", "set", "pod-1"]


def test_drops_for_a_missing_list_are_reported_once() -> None:
    watched = filter_()
    for stream in (ROOTS, PODS, EVENTS):
        admitted(watched, event("SYNCED", selection=stream))
    batches = [
        [added(PODS, thing(f"pod-{at}", "set"), time=at)] for at in (0, 1, 3599, 3601)
    ]
    said: list[str] = []
    for number, through in enumerate(admitted_by(batches, watched, said.append)):
        assert list(through) == [] and said == [], number
    assert said == [
        "note: pods.apps not listed for an hour: what may belong to it is not waited "
        "for any more, and missing here until it changes (2 so far)"
    ]


def test_drops_after_all_lists_are_not_reported() -> None:
    watched, said = filter_(), list[str]()
    for stream in (ROOTS, SETS, PODS, EVENTS):
        admitted(watched, event("SYNCED", selection=stream))
    batches = [[added(PODS, thing(f"p{at}", "set"), time=at)] for at in (0, 181, 9999)]
    for through in admitted_by(batches, watched, said.append):
        assert list(through) == []
    assert said == []


def test_an_object_may_return_in_another_stream() -> None:
    both = TargetFilter((ROOTS, SETS), (PODS,))
    owned = thing("set", "deploy")
    events = (
        added(SETS, owned),
        added(ROOTS, thing("deploy")),
        event("DELETED", owned, selection=SETS),  # it lost the label
        event("MODIFIED", owned, selection=PODS),
    )
    assert admitted(both, *events) == ["set", "deploy", "set", "set"]


def test_members_are_members_however_many_there_are() -> None:
    watched = filter_()
    admitted(
        watched, added(ROOTS, thing("deploy")), added(SETS, thing("set", "deploy"))
    )
    for number in range(20_000):
        pod = thing(f"pod-{number}", "set")
        for kind in ("ADDED", "DELETED"):
            assert len(admitted(watched, event(kind, pod, selection=PODS))) == 1


def test_an_event_about_a_node_may_have_its_name_for_a_uid() -> None:
    nodes = stream("Node", "n1")
    resource = nodes.resource._replace(gvk=GroupVersionKind("", "v1", "Node"))
    nodes = nodes._replace(resource=resource)
    watched = TargetFilter((nodes,), (EVENTS,))
    node = {"kind": "Node", "metadata": {"uid": "u1", "name": "n1"}}
    regarded = {"uid": "n1", "kind": "Node", "name": "n1"}
    told = {"kind": "Event", "metadata": {"uid": "e"}, "involvedObject": regarded}
    assert admitted(watched, added(nodes, node), added(EVENTS, told)) == ["u1", "e"]


@pytest.mark.parametrize(
    "regarded",
    [
        {"apiVersion": "apps/v1", "kind": "Pod", "namespace": "shop", "name": "pod"},
        {"kind": "Pod", "namespace": "shop", "name": "pod"},
    ],
)
@pytest.mark.parametrize("first", ["event", "pod"])
def test_events_may_name_objects_without_a_uid(
    regarded: dict[str, Any], first: str
) -> None:
    watched = filter_()
    pod = thing("pod", "set")
    pod["metadata"]["namespace"] = "shop"
    told = thing("e", kind="Event", involvedObject=regarded)
    other = thing("e2", kind="Event", involvedObject={**regarded, "name": "other"})
    admitted(watched, *TREE[id(ROOTS)], *TREE[id(SETS)])
    steps = [added(PODS, pod), added(EVENTS, told)]
    if first == "event":
        steps.reverse()
    assert admitted(watched, *steps, added(EVENTS, other)) == ["pod", "e"]


def test_an_event_may_name_a_static_pod_by_the_hash_of_its_file() -> None:
    pods = PODS._replace(resource=PODS_RESOURCE, name="etcd-n1")
    watched = TargetFilter((pods,), (EVENTS,))
    pod = thing("uid-mirror", kind="Pod")
    pod["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "abcdef"}
    regarded = {"kind": "Pod", "name": "etcd-n1", "uid": "abcdef"}
    told = thing("e", kind="Event", involvedObject=regarded)
    seen = admitted(watched, added(EVENTS, told), added(pods, pod))
    assert seen == ["uid-mirror", "e"]


@pytest.mark.parametrize("reason", ["Preempted", "TaintManagerEviction"])
def test_causes_of_deleted_unseen_pods_may_pass(reason: str) -> None:
    fate = about("event-1", "other-pod") | {"reason": reason}
    other = about("event-2", "other-pod") | {"reason": "Pulled"}
    events = added(EVENTS, fate), added(EVENTS, other)
    explained = TargetFilter((ROOTS,), (PODS, EVENTS), also=tells_fate)
    assert admitted(explained, *events) == ["event-1"]
    assert admitted(filter_(), *events) == []


def test_an_object_that_two_streams_hold_comes_by_one() -> None:
    both = TargetFilter((ROOTS, PODS), (SETS,))
    pod = thing("pod", "deploy")
    events = (
        added(ROOTS, thing("deploy")),
        added(SETS, pod),
        added(PODS, pod),
        event("MODIFIED", pod, selection=SETS),
    )
    assert admitted(both, *events) == ["deploy", "pod", "pod"]


def test_lists_come_through_for_what_is_inferred_from_them() -> None:
    watched = filter_()
    marks = [event(kind, selection=PODS) for kind in ("LISTING", "SYNCED")]
    came = [each for mark in marks for each in watched.admit(mark)]
    assert [each.type for each in came] == [each.type for each in marks]
    assert came[-1].objects == 0


def test_objects_gone_from_a_new_list_are_not_awaited() -> None:
    watched = filter_()
    again = (
        added(PODS, thing("pod", "deploy")),
        event("LISTING", selection=PODS),
        event("SYNCED", selection=PODS),
        added(ROOTS, thing("deploy")),
    )
    assert admitted(watched, *again) == ["deploy"]


def test_owners_of_hostile_objects_are_none() -> None:
    for references in (None, 5, [None, 5, {}, {"uid": 5}, {"uid": ""}], {"uid": "u"}):
        assert owners_of({"metadata": {"ownerReferences": references}}) == ()
    assert owners_of({"kind": "Event", "involvedObject": 5}) == ()
    (one,) = owners_of({"kind": "Event", "regarding": {"uid": "u"}})
    assert one.uid == "u"


def marks(watched: TargetFilter, *events: WatchEvent) -> list[tuple[str, str]]:
    """Return the types and versions of what is let through that has no object."""
    through = (each for one in events for each in watched.admit(one))
    return [(each.type.value, each.version) for each in through if not each.object]


def test_a_version_is_reached_once_nothing_is_held_back() -> None:
    watched = filter_()
    marks(watched, event("LISTING", selection=PODS))
    marks(watched, event("LISTED", thing("pod", "set"), selection=PODS))
    synced = event("SYNCED", selection=PODS, version="5")
    assert marks(watched, synced) == [("SYNCED", "")]
    later = event("BOOKMARK", selection=PODS, version="7")
    assert marks(watched, later) == [("BOOKMARK", "")]
    owners = added(ROOTS, thing("deploy")), added(SETS, thing("set", "deploy"))
    assert marks(watched, *owners) == [("BOOKMARK", "7")]
    assert marks(watched, later._replace(version="9")) == [("BOOKMARK", "9")]


def test_a_past_list_is_over_once_nothing_is_held_back() -> None:
    watched = filter_()
    marks(watched, event("LISTING", selection=PODS, version="5", since=1.0))
    marks(watched, event("LISTED", thing("pod", "set"), selection=PODS))
    assert marks(watched, event("SYNCED", selection=PODS, version="6")) == []
    owners = added(ROOTS, thing("deploy")), added(SETS, thing("set", "deploy"))
    assert marks(watched, *owners) == [("SYNCED", "6")]
