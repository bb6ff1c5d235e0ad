"""What there is, as records tell it."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed, Refused
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.fact import fact
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from tests.builders import ALL_PODS, PODS, node, pod
from tests.builders import reported as any_event
from tests.tracing import START, entry_of, feed, inventory


def owned_by(uid: str, name: str, **more: Any) -> dict[str, Any]:
    return pod(name, ownerReferences=[{"uid": uid, "kind": "ReplicaSet"}], **more)


def reported(uid: str, about: str, **more: Any) -> dict[str, Any]:
    untimed: Any = dict.fromkeys(("firstTimestamp", "lastTimestamp", "count"))
    pod = {"kind": "Pod", "uid": about, "name": "a"}
    names = {"name": uid, "uid": uid}
    return any_event("BackOff", about=pod, metadata=names, **{**untimed, **more})


EVENTS = Selection(resource=PODS._replace(gvk=PODS.gvk._replace(kind="Event")))


class Told:
    """An inventory that is told of Pods one version after the other."""

    def __init__(self, scope: Scope | None = None) -> None:
        self.seen = Inventory(scope)
        self._history = History()

    def tell(self, kind: str, obj: dict[str, Any], time: float = START) -> None:
        selection = EVENTS if obj["kind"] == "Event" else ALL_PODS
        event = WatchEvent(EventType[kind], selection, time, obj)
        feed(self.seen, [event], self._history)

    def owned(self, uid: str) -> list[str]:
        return [each.name for each in self.seen.owned(uid)]


def test_owned_objects_are_found_by_uid_oldest_first() -> None:
    told = Told()
    for name, created in (("b", "2026-01-01T00:00:02Z"), ("a", "2026-01-01T00:00:03Z")):
        told.tell("ADDED", owned_by("rs-1", name, creationTimestamp=created))
    told.tell("ADDED", owned_by("rs-2", "c"))
    assert told.owned("rs-1") == ["b", "a"]
    assert told.owned("web") == []


NAMED = {"kind": "Pod", "namespace": "shop", "name": "a"}
MIRROR_HASH = "kubernetes.io/config.mirror"
MIRROR = {MIRROR_HASH: "abcdef"}


@pytest.mark.parametrize("first", ["Event", "Pod"])
@pytest.mark.parametrize("reference", [NAMED, {**NAMED, "uid": "abcdef"}])
def test_events_may_identify_objects_by_name(
    reference: dict[str, str], first: str
) -> None:
    told = Told()
    event = reported("e1", "", involvedObject=reference)
    others = [reported(f"o{number}", f"u{number}") for number in range(1_001)]
    steps = [event, pod("a", uid="a1", annotations=MIRROR)]
    for obj in sorted(steps, key=lambda each: each["kind"] != first):
        told.tell("ADDED", obj)
    for other in others:
        told.tell("ADDED", other)
    assert [each.uid for each in told.seen.events("a1")] == ["e1"]


def test_released_objects_are_not_deleted_ones() -> None:
    told = Told()
    told.tell("ADDED", owned_by("rs-1", "a"))
    told.tell("ADDED", owned_by("rs-1", "b", rv="2"))
    told.tell("MODIFIED", pod("a", rv="3"))
    assert told.owned("rs-1") == ["b"]
    assert [each.name for each in told.seen.released("rs-1", "Pod")] == ["a"]
    told.tell("DELETED", pod("a", rv="4"))
    assert told.seen.released("rs-1", "Pod") == []


def test_a_name_is_that_of_the_object_that_has_it_now() -> None:
    told = Told()
    told.tell("ADDED", pod("a", uid="first"))
    told.tell("DELETED", pod("a", uid="first", rv="2"))
    told.tell("ADDED", pod("a", uid="second", rv="3"))
    found = told.seen.named("", "Pod", "shop", "a")
    assert found is not None and found.uid == "second"
    assert told.seen.entry("first") is None
    assert told.seen.named("", "Pod", "other", "a") is None


def test_annotations_do_not_change_identity() -> None:
    seen = inventory(pod("a", annotations={MIRROR_HASH: "/Service/shop/web"}))
    assert seen.named("", "Service", "shop", "web") is None


def test_events_stay_when_the_server_forgets_them_and_count_up() -> None:
    seen = inventory(
        pod("a"), reported("e1", "uid-a", count=1), reported("e2", "uid-a", count=1)
    )
    assert [each.times for each in seen.events("uid-a")] == [1, 1]
    late = {"count": 7, "lastObservedTime": "2026-11-21T15:04:07.5Z"}
    again = inventory(
        pod("a"),
        reported("e1", "uid-a", count=1),
        reported("e2", "uid-a", count=1),
        reported("e1", "uid-a", series=late),
    )
    # What happened again comes last.
    assert [(e.uid, e.times) for e in again.events("uid-a")] == [("e2", 1), ("e1", 7)]


def test_events_of_a_node_go_by_its_name() -> None:
    about = {"kind": "Node", "name": "n1", "uid": "n1"}
    seen = inventory(node("n1"), reported("e1", "n1", involvedObject=about))
    assert [each.reason for each in seen.events("uid-n1")] == ["BackOff"]


def test_events_without_a_uid_go_by_their_names() -> None:
    nameless = [reported(name, "uid-a") for name in ("e1", "e2")]
    for event in nameless:
        del event["metadata"]["uid"]
    assert len(inventory(pod("a"), *nameless).events("uid-a")) == 2


def test_the_last_events_of_each_object_are_kept() -> None:
    many = [
        reported(f"e{at:02}", "uid-a", lastTimestamp=f"2026-11-21T15:04:{at:02}Z")
        for at in range(60)
    ]
    for order in (many, many[::-1]):
        for seen in (inventory(pod("a"), *order), inventory(*order, pod("a"))):
            kept = [each.uid for each in seen.events("uid-a")]
            assert kept == [f"e{at}" for at in range(10, 60)]


@pytest.mark.parametrize(("after", "kept"), [(3599, True), (3601, False)])
def test_events_wait_an_hour_for_a_missing_list(after: float, kept: bool) -> None:
    told = Told(Scope([ALL_PODS]))
    told.tell("ADDED", reported("e", "uid-a", lastTimestamp="2026-01-01T00:00:00Z"))
    for number in range(10_000):
        moment = START + after
        later = reported(
            f"e{number}", f"uid-{number}", lastTimestamp="2026-01-01T01:00:00Z"
        )
        told.tell("ADDED", later, moment)
    told.tell("ADDED", pod("a"), START + after)
    assert bool(told.seen.events("uid-a")) == kept


def test_the_reason_for_a_missing_kind_holds_until_it_is_listed() -> None:
    selection, scope = ALL_PODS, Scope([ALL_PODS])
    seen = Inventory(scope)
    assert Inventory().unseen("", "Pod", "shop") == fact("NotAskedFor", kind="Pod")
    assert seen.unseen("", "Pod", "shop") == fact("NotListedYet", resource="pods")
    assert scope.coverage.unlisted
    seen.observe(Refused(selection, "no pods", START))
    assert seen.unseen("", "Pod", "shop") == fact("ListRefused", message="no pods")
    seen.observe(Refused(selection, "may not list pods", START, forbidden=True))
    assert seen.unseen("", "Pod", "shop") == fact(
        "ListForbidden", resource="pods", namespace="shop"
    )
    assert not scope.coverage.unlisted
    seen.observe(Listed(selection, 0, START))
    assert not seen.unseen("", "Pod", "shop")
    # Of another namespace nothing is known.
    assert seen.unseen("", "Pod", "other") == fact("NotAskedFor", kind="Pod")


@pytest.mark.parametrize(
    "part", [{"name": "a"}, {"field_selector": "a=b"}, {"label_selector": "app=web"}]
)
def test_a_list_of_some_objects_is_not_that_of_all(part: dict[str, Any]) -> None:
    some = ALL_PODS._replace(**part)
    seen = Inventory(Scope([some], [ALL_PODS]))
    seen.observe(Listed(some, 1, START))
    assert seen.unseen("", "Pod", "shop") == fact("NotListedYet", resource="pods")
    labelled = not seen.unseen("", "Pod", "shop", "app=web")
    assert labelled == ("label_selector" in part)
    seen = Inventory(Scope([some]))
    seen.observe(Listed(some, 1, START))
    assert seen.unseen("", "Pod", "shop") == fact("OnlySomeAskedFor", resource="pods")


def test_all_namespaces_are_those_of_each() -> None:
    seen = Inventory()
    seen.observe(Listed(Selection(resource=ALL_PODS.resource), 0, START))
    assert not seen.unseen("", "Pod", "shop")
    assert not seen.unseen("", "Pod")


def test_what_many_share_is_made_again_once_and_told_if_it_is_another_thing() -> None:
    seen, history = Inventory(), History()
    made: list[str] = []

    def names(seen: Inventory, label: str) -> list[str]:
        made.append("names")
        pods = (each.document for each in seen.every("", "Pod"))
        return [each["metadata"]["name"] for each in pods if label in str(each)]

    def count(seen: Inventory, label: str) -> int:
        made.append("count")
        return len(seen.shared(names, label))

    def judge(entry: Entry, seen: Inventory) -> int:
        made.append(entry.name)
        return seen.shared(count, "web")

    def tell(rv: str, name: str, **labels: str) -> list[str]:
        document = pod(name, rv=rv, labels=labels)
        event = WatchEvent(EventType.MODIFIED, ALL_PODS, START, document)
        feed(seen, [event], history)
        made.clear()
        for each in ("uid-a", "uid-b"):
            if (entry := seen.entry(each)) is not None:
                seen.once(judge, entry)
        return made

    assert tell("1", "a", app="web") == ["a", "count", "names"]
    assert tell("2", "b", app="db") == ["names", "b"]
    assert tell("3", "c", app="web") == ["names", "count", "a", "b"]
    # As many, and others: who counts is made anew, and who asks for the number is not.
    assert tell("4", "c", app="db") == ["names", "count", "a", "b"]
    assert tell("5", "d", app="web") == ["names", "count", "a", "b"]
    assert tell("6", "d", app="web", other="x") == ["names"]


def test_no_end_of_things_to_share_is_remembered_and_none_grows_stale() -> None:
    seen, history = Inventory(), History()

    def length(seen: Inventory, _: int) -> int:
        return len(seen.every("", "Pod"))

    def judge(entry: Entry, seen: Inventory) -> int:
        return seen.shared(length, 0)

    for number in range(3):
        event = WatchEvent(
            EventType.ADDED, ALL_PODS, START, pod(f"web-{number}", rv=str(number))
        )
        feed(seen, [event], history)
        entry = entry_of(seen, "uid-web-0")
        assert seen.once(judge, entry) == number + 1
        assert {seen.shared(length, each) for each in range(1, 1500)} == {number + 1}
        assert seen.once(judge, entry) == number + 1


def test_a_change_of_other_labels_or_namespaces_makes_no_result_again() -> None:
    seen, history, made = Inventory(), History(), []

    def judge(entry: Entry, seen: Inventory) -> list[str]:
        made.append("labelled")
        found = seen.labelled("Pod", "shop", {"app": "web", "tier": "a"})
        return [each.name for each in found]

    def everywhere(entry: Entry, seen: Inventory) -> int:
        made.append("every")
        return len(seen.every("", "Pod", "elsewhere"))

    def tell(rv: str, name: str, **labels: str) -> tuple[list[str], list[str]]:
        document = pod(name, rv=rv, labels=labels)
        for record in history.observe(
            WatchEvent(EventType.MODIFIED, ALL_PODS, START, document)
        ):
            seen.observe(record)
        made.clear()
        entry = entry_of(seen, "uid-a")
        seen.once(everywhere, entry)
        return seen.once(judge, entry), list(made)

    assert tell("1", "a") == ([], ["every", "labelled"])
    assert tell("2", "b", app="web", tier="a") == (["b"], ["labelled"])
    assert tell("3", "c", app="db", tier="b") == (["b"], [])
    assert tell("4", "c", app="web", tier="a") == (["b", "c"], ["labelled"])
    assert tell("5", "b") == (["c"], ["labelled"])
