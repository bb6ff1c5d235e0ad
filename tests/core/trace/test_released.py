"""Why Pods that were a ReplicaSet's are nobody's now."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.selectors import matches
from kubectl_spy.core.objects import EventType, WatchEvent
from tests.builders import ALL_PODS, workload
from tests.tracing import START, diagnosed_in, inventory

SELECTOR = {"matchLabels": {"app": "web"}}


def pod(app: str, owner: str = "") -> dict[str, Any]:
    return workload("Pod", "web-x", owner=owner, metadata={"labels": {"app": app}})


@pytest.mark.parametrize(
    ("label", "role"),
    [("web", "released by its owner"), ("debug", "released: labels no longer match")],
)
def test_only_label_changes_release_by_labels(label: str, role: str) -> None:
    owner = workload("ReplicaSet", spec={"replicas": 1, "selector": SELECTOR})
    seen = inventory(owner, pod("web", "web"))
    history = History()
    for record in history.observe(
        WatchEvent(EventType.MODIFIED, ALL_PODS, START, pod(label))
    ):
        seen.observe(record)
    (child,) = diagnosed_in(seen, "web").children or ()
    assert (child.role, child.counts) == (role, False)


@pytest.mark.parametrize(
    ("operator", "values", "met"),
    [
        ("In", ["web"], True),
        ("In", ["api"], False),
        ("NotIn", ["web"], False),
        ("NotIn", ["api"], True),
        ("Exists", None, True),
        ("DoesNotExist", None, False),
        ("Unheard", ["web"], False),
    ],
)
def test_expressions_match_as_in_the_server(
    operator: str, values: Any, met: bool
) -> None:
    expression = {"key": "app", "operator": operator, "values": values}
    assert matches({"matchExpressions": [expression]}, {"app": "web"}) is met


@pytest.mark.parametrize(("operator", "met"), [("In", False), ("NotIn", True)])
def test_a_label_that_is_not_there_is_in_no_set(operator: str, met: bool) -> None:
    expression = {"key": "tier", "operator": operator, "values": ["web"]}
    assert matches({"matchExpressions": [expression]}, {"app": "web"}) is met
    assert not matches({"matchLabels": {"tier": None}}, {"app": "web"})
