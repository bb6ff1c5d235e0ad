"""Whether a PodDisruptionBudget allows evictions, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.trace.picture import Diagnosis, Verdict
from tests.core.trace.serving import metadata, pod
from tests.core.trace.workloads import conditions, workload
from tests.tracing import diagnosis, found

OK, WAITING = Verdict.OK, Verdict.WAITING
FAILING, UNKNOWN = Verdict.FAILING, Verdict.UNKNOWN
ABOUT = "condition/DisruptionAllowed"


def budget(
    *,
    allowed: int = 0,
    expected: int = 0,
    healthy: int = 0,
    desired: int = 0,
    **spec: Any,
) -> dict[str, Any]:
    reason = "True SufficientPods" if allowed else "False InsufficientPods"
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata("web", generation=1),
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
        "status": {
            "observedGeneration": 1,
            "disruptionsAllowed": allowed,
            "expectedPods": expected,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "conditions": conditions(DisruptionAllowed=reason),
        },
    }


def told(of: Diagnosis) -> tuple[str, Verdict, str, str]:
    verdict, text = found(of, ABOUT)
    assert verdict is of.verdict
    return of.phase, verdict, text, of.findings[0].remedy


def test_a_budget_with_room_is_ready_and_its_pods_stand_under_it() -> None:
    roomy = budget(allowed=1, expected=2, healthy=2, desired=1, minAvailable=1)
    of = diagnosis(roomy, pod("a"), pod("b"), pod("c", labels={"app": "db"}))
    assert (of.phase, of.verdict, of.summary) == ("Ready", OK, "1 disruption allowed")
    assert [each.uid for each in of.children or ()] == ["uid-shop-a", "uid-shop-b"]


@pytest.mark.parametrize(
    ("spec", "numbers", "why"),
    [
        (
            {"minAvailable": 2},
            {"expected": 2, "healthy": 2, "desired": 2},
            "minAvailable 2 leaves no room among 2 Pods",
        ),
        (
            {"minAvailable": "100%"},
            {"expected": 1, "healthy": 1, "desired": 1},
            "minAvailable 100% leaves no room among 1 Pod",
        ),
        (
            {"maxUnavailable": 0},
            {"expected": 3, "healthy": 2, "desired": 3},
            "maxUnavailable 0 leaves no room among 3 Pods",
        ),
    ],
)
def test_a_budget_without_room_blocks_every_eviction(
    spec: dict[str, Any], numbers: dict[str, int], why: str
) -> None:
    assert told(diagnosis(budget(**spec, **numbers), pod())) == (
        "Blocking",
        UNKNOWN,
        f"no eviction is ever allowed, and a drain waits for good: {why}",
        "lower minAvailable or raise maxUnavailable, or add replicas",
    )


def test_a_budget_waits_for_pods_that_are_not_healthy() -> None:
    tight = budget(expected=3, healthy=2, desired=2, maxUnavailable=1)
    assert told(diagnosis(tight, pod())) == (
        "AtLimit",
        WAITING,
        "no eviction is allowed now: 2 Pods are healthy of 3, and maxUnavailable 1 "
        "wants 2",
        "",
    )


def test_a_budget_that_selects_nothing_names_what_is_off() -> None:
    nothing = "it protects nothing, its selector matches no Pod"
    one = budget(minAvailable=1)
    assert told(diagnosis(one, pod(labels={"app": "wbe"}))) == (
        "NoPods",
        FAILING,
        f"{nothing}; nearest is pod web-1: app is wbe",
        "kubectl get pods --show-labels -n shop",
    )
    labels = {"metadata": {"labels": {"app": "web"}}}
    idle = workload("Deployment", spec={"replicas": 0, "template": labels})
    assert told(diagnosis(one, idle)) == (
        "NoPods",
        WAITING,
        f"{nothing}: Deployment web makes such Pods, and is scaled to 0",
        "kubectl scale deployment/web --replicas=1 -n shop",
    )
    of = diagnosis(one, unseen={"Pod": "pods are forbidden"})
    assert told(of)[1:3] == (
        UNKNOWN,
        "it protects nothing: which Pods it selects is unknown: pods are forbidden",
    )
    one["spec"]["selector"] = None
    assert "no selector" in told(diagnosis(one, pod()))[2]


def test_pods_without_a_controller_cannot_be_counted_as_a_share() -> None:
    of = diagnosis(budget(maxUnavailable=1), pod())
    assert told(of) == (
        "Uncounted",
        FAILING,
        "no eviction is allowed: maxUnavailable 1 counts replicas, and its Pods have "
        "no controller",
        "set minAvailable, and to a number",
    )


def test_a_budget_whose_controller_fails_says_why() -> None:
    """It writes no observedGeneration then, as if it had not seen the budget."""
    failing = budget(maxUnavailable=1)
    why = "configmaps does not implement the scale subresource"
    reported = conditions(DisruptionAllowed=f"False SyncFailed {why}")
    failing["status"] = {"disruptionsAllowed": 0, "conditions": reported}
    of = diagnosis(failing, pod())
    assert (of.phase, of.verdict) == ("Failed", FAILING)
    assert found(of, ABOUT) == (
        FAILING,
        f"DisruptionAllowed is False (SyncFailed: {why})",
    )
