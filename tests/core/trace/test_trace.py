"""Pictures of recorded streams and of made-up ones, and what happens between them."""

from __future__ import annotations

import gc
from itertools import pairwise

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.cluster.scope import Scope, asked_for
from kubectl_spy.core.objects import EventType, GroupVersionKind, Selection, WatchEvent
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.core.trace.transitions import Happening, transitions
from tests.builders import PODS, pod
from tests.tracing import START, feed, recorded_pictures, recorded_trace

WIDGETS = PODS._replace(gvk=GroupVersionKind("example.com", "v1", "Widget"))
"""Of a kind that nobody knows anything about."""
ONE = Selection(resource=WIDGETS, namespace="shop", name="web")
OTHERS = Selection(resource=WIDGETS, namespace="shop", asked=False)


class Scene:
    """A trace of one Pod, told what happens."""

    def __init__(self, *roots: Selection) -> None:
        self.roots = roots or (ONE,)
        self.trace = Trace(Scope(self.roots, (OTHERS,), asked_for(self.roots)))
        self._history = History()

    def tell(
        self, kind: str, obj: dict[str, object], at: float = 0, by: int = 0
    ) -> Picture:
        self.observe(kind, obj, at, by)
        return self.trace.picture()

    def observe(
        self, kind: str, obj: dict[str, object], at: float = 0, by: int = 0
    ) -> None:
        stream = (*self.roots, OTHERS)[by]
        event = WatchEvent(EventType[kind], stream, START + at, obj)
        feed(self.trace, [event], self._history)


def test_an_absent_named_root_is_shown() -> None:
    scene = Scene()
    assert not scene.trace.scope.coverage.complete
    for stream in (ONE, OTHERS):
        scene.trace.observe(Listed(stream, 0, START))
    assert scene.trace.scope.coverage.complete
    (node,) = scene.trace.picture().roots
    assert (node.name, node.phase, node.uid) == ("web", "Absent", "")
    assert not scene.trace.ended


def test_a_root_may_come_by_another_stream() -> None:
    scene = Scene()
    picture = scene.tell("ADDED", pod("web"), by=1)
    assert [node.uid for node in picture.roots] == ["uid-web"]
    assert [n.uid for n in scene.tell("ADDED", pod("b", rv="2"), by=1).roots] == [
        "uid-web"
    ]


def test_a_root_that_is_gone_is_shown_for_as_long_as_something_of_it_is_left() -> None:
    scene = Scene()
    scene.tell("ADDED", pod("web"))
    owner = [{"uid": "uid-web", "kind": "Pod"}]
    scene.tell("ADDED", pod("child", rv="2", ownerReferences=owner), by=1)
    (node,) = scene.tell("DELETED", pod("web", rv="3")).roots
    assert (node.phase, [each.name for each in node.children]) == ("Deleted", ["child"])
    assert not scene.trace.ended
    child = pod("child", rv="4", ownerReferences=owner)
    assert [node.phase for node in scene.tell("DELETED", child, by=1).roots] == [
        "Absent"
    ]
    assert scene.trace.ended


def test_a_root_that_comes_again_is_another_object() -> None:
    scene = Scene()
    scene.tell("ADDED", pod("web", uid="first"))
    scene.tell("DELETED", pod("web", uid="first", rv="2"))
    (node,) = scene.tell("ADDED", pod("web", uid="second", rv="3")).roots
    assert node.uid == "second"
    assert not scene.trace.ended


def test_a_cycle_of_owners_is_drawn() -> None:
    scene = Scene()
    scene.tell("ADDED", pod("b", ownerReferences=[{"uid": "uid-web"}]), by=1)
    picture = scene.tell("ADDED", pod("web", ownerReferences=[{"uid": "uid-b"}]))
    assert [node.name for node in picture.all()] == ["web", "b"]


def test_nothing_happens_between_a_picture_and_itself() -> None:
    picture = recorded_trace("deploy-rollout", "Deployment/nginx", 20).picture()
    assert list(transitions(picture, picture)) == []


def test_a_picture_is_the_same_however_often_it_is_taken() -> None:
    every = [p for _, p in recorded_pictures("deploy-rollout", "Deployment/nginx")]
    last = recorded_trace("deploy-rollout", "Deployment/nginx", 1000).picture()
    assert every[-1] == last


@pytest.mark.parametrize(
    ("stream", "target"),
    [
        ("deploy-rollout", "Deployment/nginx"),
        ("deploy-rollout", "Service/nginx"),
        ("workloads", "StatefulSet/db"),
        ("workloads", "DaemonSet/agent"),
        ("workloads", "Job/failing"),
        ("workloads", "CronJob/tick"),
        ("pod-crashloop", "Pod/crasher"),
        ("recreate", "Pod/same"),
        ("custom-resource", "Widget/w0"),
    ],
)
def test_transitions_name_every_new_and_gone_object(stream: str, target: str) -> None:
    before: Picture | None = None
    there: set[str] = set()
    came = 0
    for _, picture in recorded_pictures(stream, target):
        for each in transitions(before, picture):
            if each.happening is Happening.APPEARED:
                assert each.node.uid not in there
                there.add(each.node.uid)
                came += 1
            elif each.happening in (Happening.GONE, Happening.LEFT):
                there.remove(each.node.uid)
            else:
                assert each.node.uid in there
        assert there == {node.uid for node in picture.all()}
        before = picture
    assert came


def test_present_events_are_not_reported_again() -> None:
    pictures = [p for _, p in recorded_pictures("deploy-rollout", "Deployment/nginx")]
    first = list(transitions(None, pictures[-1]))
    assert not [each for each in first if each.happening is Happening.REPORTED]
    told = [
        each
        for before, after in pairwise(pictures)
        for each in transitions(before, after)
        if each.happening is Happening.REPORTED
    ]
    reasons = {each.event.reason for each in told if each.event}
    assert {"ScalingReplicaSet", "SuccessfulCreate", "Started"} <= reasons


def family(*names: str, owners: dict[str, list[str]]) -> Trace:
    """Return a trace of the first of *names*, each owned as *owners* says."""
    scene = Scene(Selection(resource=WIDGETS, namespace="shop", name=names[0]))
    for rv, name in enumerate(names):
        references = [{"uid": f"uid-{owner}"} for owner in owners.get(name, ())]
        made = pod(name, rv=str(rv + 1), ownerReferences=references)
        scene.tell("ADDED", made, by=min(rv, 1))
    return scene.trace


@pytest.mark.parametrize("size", [3, 10, 30])
def test_objects_that_own_each_other_are_drawn_once(size: int) -> None:
    names = [f"o{number}" for number in range(size)]
    trace = family(*names, owners=dict.fromkeys(names, names))
    nodes = list(trace.picture().all())
    assert {node.name for node in nodes} == set(names)
    assert len(nodes) <= size * size


def test_an_object_of_two_owners_is_under_the_first() -> None:
    layers = [[f"l{layer}a", f"l{layer}b"] for layer in range(16)]
    owners = {name: ["root"] for name in layers[0]}
    for above, below in pairwise(layers):
        owners |= dict.fromkeys(below, above)
    names = ["root", *(name for layer in layers for name in layer)]
    nodes = list(family(*names, owners=owners).picture().all())
    assert {node.name for node in nodes} == set(names)
    assert len(nodes) <= 4 * len(names)


def test_owners_above_owners_without_end_are_cut_off() -> None:
    names = [f"d{number}" for number in range(900)]
    owners = {below: [above] for above, below in pairwise(names)}
    nodes = list(family(*names, owners=owners).picture().all())
    assert 30 < len(nodes) < 100


def test_an_unlisted_root_is_not_absent() -> None:
    (node,) = Scene().trace.picture().roots
    assert (node.phase, node.summary) == (
        "Unknown",
        "the API server has not answered yet",
    )


def test_children_go_with_their_deleted_owner() -> None:
    """A Pod whose finalizer keeps it while its ReplicaSet and Deployment are gone."""
    scene = Scene()
    scene.tell("ADDED", pod("web"))
    under = {"set": "uid-web", "pod": "uid-set"}
    objects = {
        name: pod(name, rv=str(rv), ownerReferences=[{"uid": owner}])
        for rv, (name, owner) in enumerate(under.items(), 2)
    }
    for each in objects.values():
        scene.tell("ADDED", each, by=1)
    scene.tell("DELETED", pod("web", rv="9"))
    picture = scene.tell("DELETED", {**objects["set"]}, by=1)
    assert [node.name for node in picture.all()] == ["web", "set", "pod"]
    assert not scene.trace.ended
    last = scene.tell("DELETED", objects["pod"], by=1)
    assert scene.trace.ended
    assert [each.happening for each in transitions(picture, last)] == [
        Happening.GONE,
        Happening.GONE,
        Happening.GONE,
        Happening.APPEARED,
    ]


def test_a_gone_root_is_shown_until_the_last_of_many_children_is_gone() -> None:
    """A background deletion takes the owner first, and then its Pods."""
    scene = Scene()
    owned = [{"uid": "uid-web"}]
    children = [pod(f"c{n}", rv=f"{n}0", ownerReferences=owned) for n in range(1_100)]
    scene.tell("ADDED", pod("web"))
    for each in children:
        scene.observe("ADDED", each, by=1)
    scene.observe("DELETED", pod("web", rv="2"))
    *others, last = children
    for each in others:
        scene.observe("DELETED", each, by=1)
    assert [node.name for node in scene.trace.picture().all()] == ["web", "c1099"]
    scene.tell("DELETED", last, by=1)
    assert scene.trace.ended


def test_nothing_is_kept_of_deleted_owners_that_are_long_gone() -> None:
    scene = Scene()
    scene.tell("ADDED", pod("web"))

    def owned(name: str, owner: str) -> dict[str, object]:
        return pod(name, ownerReferences=[{"uid": f"uid-{owner}"}])

    for batch in range(15):
        sets = [f"set-{batch}-{number}" for number in range(200)]
        for name in sets:
            scene.observe("ADDED", owned(name, "web"), by=1)
            scene.observe("ADDED", owned(f"{name}-pod", name), by=1)
            scene.observe("DELETED", owned(name, "web"), by=1)
        assert len(list(scene.trace.picture().all())) == 401
        for name in sets:
            scene.observe("DELETED", owned(f"{name}-pod", name), by=1)
        assert len(list(scene.trace.picture().all())) == 1
    kept = [each for each in gc.get_objects() if isinstance(each, Node)]
    assert len(kept) < 2_000


@pytest.mark.parametrize("gone_first", [True, False])
def test_an_owner_may_be_gone_before_its_child_is_seen(gone_first: bool) -> None:
    scene = Scene()
    owned = [{"uid": "uid-web"}]
    child = ("ADDED", pod("child", rv="2", ownerReferences=owned), 0, 1)
    steps = [("DELETED", pod("web", rv="3"), 0, 0), child]
    scene.tell("ADDED", pod("web"))
    for step in steps if gone_first else reversed(steps):
        picture = scene.tell(*step)
    assert [node.name for node in picture.all()] == ["web", "child"]


def test_a_released_object_is_not_deleted() -> None:
    scene = Scene()
    scene.tell("ADDED", pod("web"))
    owned = [{"uid": "uid-web"}]
    before = scene.tell("ADDED", pod("a", rv="2", ownerReferences=owned), by=1)
    after = scene.tell("MODIFIED", pod("a", rv="3"), by=1)
    told = [each.happening for each in transitions(before, after)]
    assert told == [Happening.LEFT]
    gone = scene.tell("DELETED", pod("web", rv="4"))
    assert next(each.happening for each in transitions(after, gone)) is Happening.GONE
