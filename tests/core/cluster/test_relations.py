"""The members of a root, in any order of arrival."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.cluster.event_log import EventLog
from kubectl_spy.core.cluster.relations import Members
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection, WatchEvent
from tests.builders import PODS, event, obj, pod
from tests.examples import examples
from tests.extras.spans.model.test_recorded_spans import SCENES
from tests.spanning import merged, recorded_items, shuffled
from tests.tracing import recorded_pictures


def owned_by(owner: str, name: str, *, rv: str) -> dict[str, object]:
    return pod(name, rv=rv, ownerReferences=[{"uid": owner, "kind": "Pod"}])


def joined(*events: WatchEvent) -> tuple[Members, list[str]]:
    """Return the members of the root `web`, and the uids that joined, by *events*."""
    members, history, found = Members(), History(), []
    for each in events:
        for record in history.observe(each):
            found += members.observe(record, root=record.name == "web")
    return members, sorted(each for each in found if each.startswith("uid-"))


def told(items: Iterable[Item], target: str) -> set[tuple[str, int, float | None]]:
    """Return the reported Events about *target* and what belongs to it."""
    kind, name = target.split("/")
    log = EventLog(Scope((), (), lambda it: (it.gvk.kind, it.name) == (kind, name)))
    for item in items:
        log.observe(item)
    return {(each.uid, each.times, each.last) for each in log.news()}


@pytest.mark.parametrize(("stream", "target"), SCENES)
def test_everything_in_a_trace_belongs_to_its_root(stream: str, target: str) -> None:
    kind, name = target.split("/")
    members = Members()
    for item in merged(recorded_items(stream)):
        if isinstance(item, ChangeRecord) and item.gvk.kind != "Event":
            members.observe(item, root=(item.gvk.kind, item.name) == (kind, name))
    pictures = [picture for _, picture in recorded_pictures(stream, target)]
    shown = {node.uid for picture in pictures for node in picture.all() if node.uid}
    assert shown and all(uid in members for uid in shown)


@given(st.sampled_from(SCENES), st.integers(0, 2**32))
@examples(60)
def test_the_order_of_streams_does_not_change_events(
    scene: tuple[str, str], seed: int
) -> None:
    stream, target = scene
    items = recorded_items(stream)
    assert told(shuffled(items, seed), target) == told(merged(items), target)


def test_children_of_children_join_with_the_root_that_comes_last() -> None:
    grandchild = owned_by("uid-child", "grandchild", rv="1")
    child = owned_by("uid-web", "child", rv="2")
    stranger = owned_by("uid-other", "stranger", rv="3")
    steps = [event("ADDED", each) for each in (grandchild, child, stranger)]
    members, found = joined(*steps, event("ADDED", pod(rv="4")))
    assert found == ["uid-child", "uid-grandchild", "uid-web"]
    assert "uid-stranger" not in members


def test_released_and_deleted_objects_still_belong() -> None:
    child = owned_by("uid-web", "child", rv="2")
    members, found = joined(
        event("ADDED", pod(rv="1")),
        event("ADDED", child),
        event("MODIFIED", pod("child", rv="3")),
        event("DELETED", pod("web", rv="4")),
        event("ADDED", owned_by("uid-child", "late", rv="5")),
    )
    assert found == ["uid-child", "uid-late", "uid-web"]
    assert all(uid in members for uid in found)


def test_pods_belong_to_a_service_listed_earlier() -> None:
    service = obj("Service", spec={"selector": {"app": "old"}})
    again = {"resourceVersion": "2"}
    later = obj("Service", metadata=again, spec={"selector": {"app": "new"}})
    pods = [pod(each, labels={"app": each, "more": "x"}) for each in ("old", "new")]
    resource = PODS._replace(gvk=PODS.gvk._replace(kind="Service"), plural="services")
    services = Selection(resource=resource, namespace="shop")
    relabelled = pod("new", rv="2", labels={"app": "other"})
    _, found = joined(
        event("ADDED", service, selection=services),
        event("MODIFIED", later, selection=services),
        *(event("ADDED", each) for each in (*pods, pod("no", labels={"app": "no"}))),
        event("MODIFIED", relabelled),
    )
    assert found == ["uid-new", "uid-old", "uid-web"]


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ({"matchLabels": {"app": "old"}}, ["old"]),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, ["new", "old"]),
        (
            {
                "matchLabels": {"app": "old"},
                "matchExpressions": [{"key": "more", "operator": "DoesNotExist"}],
            },
            [],
        ),
        (
            {"matchExpressions": [{"key": "app", "operator": "In", "values": ["new"]}]},
            ["new"],
        ),
        (
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": []}]},
            ["bare", "new", "old"],
        ),
        ({}, ["bare", "new", "old"]),
        (None, []),
    ],
)
def test_the_pods_of_a_budget_belong(
    selector: dict[str, Any] | None, names: list[str]
) -> None:
    """As trace shows them under it."""
    spec = {"minAvailable": 1, "selector": selector}
    budget = obj("PodDisruptionBudget", spec=spec)
    gvk = PODS.gvk._replace(group="policy", version="v1", kind="PodDisruptionBudget")
    budgets = Selection(
        resource=PODS._replace(gvk=gvk, plural="poddisruptionbudgets"), namespace="shop"
    )
    pods = [pod(each, labels={"app": each, "more": "x"}) for each in ("old", "new")]
    ours = [event("ADDED", each) for each in (*pods, pod("bare"))]
    theirs = event("ADDED", budget, selection=budgets)
    for events in ([theirs, *ours], [*ours, theirs]):
        _, found = joined(*events)
        assert found == sorted(f"uid-{each}" for each in (*names, "web"))


def test_owners_may_own_each_other() -> None:
    root = owned_by("uid-child", "web", rv="1")
    child = owned_by("uid-web", "child", rv="2")
    _, found = joined(event("ADDED", root), event("ADDED", child))
    assert found == ["uid-child", "uid-web"]


def test_long_gone_objects_are_forgotten() -> None:
    steps = [event("ADDED", pod(rv="1"))]
    for number in range(10_002):
        child = owned_by("uid-web", f"p{number}", rv=f"{number}0")
        steps += [event("ADDED", child), event("DELETED", child)]
    members, found = joined(*steps)
    assert len(found) == 10_003
    kept = [f"uid-p{number}" in members for number in (0, 1, 2, 10_001)]
    assert kept == [False, False, True, True]
    named = [f"/Pod/shop/p{number}" in members for number in (0, 1, 2, 10_001)]
    assert named == kept
    assert "uid-web" in members


def test_a_node_that_is_long_gone_is_not_known_by_its_name_either() -> None:
    resource = PODS._replace(gvk=PODS.gvk._replace(kind="Node"), namespaced=False)
    nodes = Selection(resource=resource)
    node, again = (
        obj("Node", "n1", None, uid=uid, owner="web") for uid in ("uid-n1", "uid-again")
    )
    gone = [event(kind, node, selection=nodes) for kind in ("ADDED", "DELETED")]
    more = []
    for number in range(10_001):
        child = owned_by("uid-web", f"p{number}", rv=f"{number}0")
        more += [event("ADDED", child), event("DELETED", child)]
    root = event("ADDED", pod(rv="1"))
    members, _ = joined(root, *gone)
    assert "uid-n1" in members and "/Node//n1" in members
    members, _ = joined(root, *gone, *more)
    assert "uid-n1" not in members and "/Node//n1" not in members
    members, _ = joined(root, *gone, event("ADDED", again, selection=nodes), *more)
    assert "uid-n1" not in members and "/Node//n1" in members
