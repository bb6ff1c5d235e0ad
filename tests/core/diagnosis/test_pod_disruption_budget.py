"""Whether a PodDisruptionBudget allows evictions, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.render.findings import text as text_of
from tests.builders import backend, budget, conditions, workload
from tests.tracing import START, diagnosis, found, inventory, selection_of

OK, WAITING = Verdict.OK, Verdict.WAITING
FAILING, UNKNOWN = Verdict.FAILING, Verdict.UNKNOWN
ABOUT = "condition/DisruptionAllowed"


def pods(healthy: int, expected: int) -> list[dict[str, Any]]:
    """Return so many Pods, the first of which are ready."""
    return [backend(f"web-{each}", ready=each < healthy) for each in range(expected)]


def told(of: Diagnosis) -> tuple[str, Verdict, str, str]:
    verdict, text = found(of, ABOUT)
    assert verdict is of.verdict
    return of.phase, verdict, text, of.findings[0].remedy


def test_a_budget_with_room_is_ready_and_its_pods_stand_under_it() -> None:
    roomy = budget(allowed=1, expected=2, healthy=2, desired=1, minAvailable=1)
    of = diagnosis(
        roomy, backend("a"), backend("b"), backend("c", labels={"app": "db"})
    )
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
    its = pods(numbers["healthy"], numbers["expected"])
    assert told(diagnosis(budget(**spec, **numbers), *its)) == (
        "Blocking",
        UNKNOWN,
        f"no healthy Pod may ever be evicted, and drains wait for good: {why}",
        "lower minAvailable or raise maxUnavailable, or add replicas",
    )


@pytest.mark.parametrize(
    ("healthy", "policy", "unready_may_go"),
    [(2, None, True), (1, None, False), (1, "AlwaysAllow", True)],
)
def test_a_budget_waits_for_pods_that_are_not_healthy(
    healthy: int, policy: str | None, unready_may_go: bool
) -> None:
    """The eviction API lets Pods go that are not ready, by the policy of the budget."""
    spec: dict[str, Any] = {"maxUnavailable": 1}
    if policy is not None:
        spec["unhealthyPodEvictionPolicy"] = policy
    tight = budget(expected=3, healthy=healthy, desired=2, **spec)
    why = f"{healthy} of 3 Pods are healthy, and maxUnavailable 1 requires 2"
    also = "; Pods that are not ready may be evicted" if unready_may_go else ""
    assert told(diagnosis(tight, *pods(healthy, 3))) == (
        "AtLimit",
        WAITING,
        f"no healthy Pod may be evicted now: {why}{also}",
        "",
    )


def test_a_budget_that_selects_nothing_names_what_is_off() -> None:
    nothing = "it protects nothing, its selector matches no Pod"
    one = budget(minAvailable=1)
    assert told(diagnosis(one, backend(labels={"app": "wbe"}))) == (
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
    assert "no selector" in told(diagnosis(one, backend()))[2]


@pytest.mark.parametrize(
    ("labels", "expressions", "why"),
    [
        ({}, ["app In api", "tier Exists"], "app in (api) and tier"),
        ({"app": "web"}, ["app NotIn web db"], "app notin (web, db)"),
        (
            {"app": "web"},
            ["app DoesNotExist", "tier In a b"],
            "!app and tier in (a, b)",
        ),
    ],
)
def test_expressions_that_no_pod_meets_are_written_out(
    labels: dict[str, str], expressions: list[str], why: str
) -> None:
    asked = []
    for key, operator, *values in map(str.split, expressions):
        asked.append({"key": key, "operator": operator, "values": values})
    selector = {"matchLabels": labels, "matchExpressions": asked}
    of = diagnosis(budget(minAvailable=1, selector=selector), backend())
    assert told(of)[2] == (
        "it protects nothing, its selector matches no Pod; nearest is pod web-1: it "
        f"does not meet {why}"
    )


def test_pods_without_a_controller_cannot_be_counted_as_a_share() -> None:
    of = diagnosis(budget(maxUnavailable=1), backend())
    assert told(of) == (
        "Uncounted",
        FAILING,
        "no eviction is allowed: maxUnavailable 1 counts replicas, and its Pods have "
        "no controller",
        "use minAvailable, with a number, and no maxUnavailable",
    )


def test_a_number_of_pods_needs_no_controller_to_be_counted() -> None:
    assert told(diagnosis(budget(minAvailable=1), backend())) == (
        "AtLimit",
        WAITING,
        "no eviction is allowed now: its Pods are not counted yet",
        "",
    )
    assert diagnosis(budget(minAvailable="50%"), backend()).phase == "Uncounted"


CONTROLLED = {
    "ownerReferences": [
        {"kind": "ReplicaSet", "name": "web", "uid": "set", "controller": True}
    ]
}
TERMINATING = CONTROLLED | {"deletionTimestamp": "2026-11-20T15:00:00Z"}


def test_a_budget_waits_while_its_workload_is_scaled_to_0() -> None:
    labels = {"metadata": {"labels": {"app": "web"}}}
    idle = workload("Deployment", spec={"replicas": 0, "template": labels})
    going = backend(metadata=TERMINATING)
    assert told(diagnosis(budget(maxUnavailable=1), going, idle)) == (
        "NoPods",
        WAITING,
        "it protects nothing: all its Pods are terminating or have ended: Deployment "
        "web makes such Pods, and is scaled to 0",
        "kubectl scale deployment/web --replicas=1 -n shop",
    )

    assert told(diagnosis(budget(maxUnavailable=1), going))[2:] == (
        "it protects nothing: all its Pods are terminating or have ended",
        "",
    )


def test_a_budget_waits_until_the_pods_of_a_controller_are_counted() -> None:
    of = diagnosis(budget(maxUnavailable=1), backend(metadata=CONTROLLED))
    assert told(of)[:3] == (
        "AtLimit",
        WAITING,
        "no eviction is allowed now: its Pods are not counted yet",
    )
    owned = backend("b", metadata=CONTROLLED)
    assert diagnosis(budget(maxUnavailable=1), backend(), owned).phase == "Uncounted"


def test_a_budget_whose_controller_fails_says_why() -> None:
    """It writes no observedGeneration then, as if it had not seen the budget."""
    failing = budget(maxUnavailable=1)
    why = "configmaps does not implement the scale subresource"
    reported = conditions(DisruptionAllowed=f"False SyncFailed {why}")
    failing["status"] = {"disruptionsAllowed": 0, "conditions": reported}
    of = diagnosis(failing, backend())
    assert (of.phase, of.verdict) == ("Failed", FAILING)
    assert found(of, ABOUT) == (
        FAILING,
        f"DisruptionAllowed is False (SyncFailed: {why})",
    )


@pytest.mark.parametrize(
    ("numbers", "ready"),
    [
        ({"allowed": 0, "expected": 2, "healthy": 1, "desired": 1}, 2),
        ({"allowed": 1, "expected": 3, "healthy": 3, "desired": 2}, 1),
        ({"allowed": 0, "expected": 1, "healthy": 1, "desired": 1}, 3),
    ],
)
def test_contradictory_status_is_ignored(numbers: dict[str, int], ready: int) -> None:
    of = diagnosis(budget(minAvailable=1, **numbers), *pods(ready, 3))
    assert (of.phase, of.verdict, of.summary) == ("Waiting", WAITING, "")
    are = "1 Pod is" if ready == 1 else f"{ready} Pods are"
    assert [text_of(each) for each in of.findings] == [
        f"the disruption controller has not counted yet: {are} healthy, and the "
        f"status says {numbers['healthy']}"
    ]


LOOK = (
    "see whether kube-controller-manager renews its Lease: "
    "kubectl get lease kube-controller-manager -o yaml -n kube-system"
)


@pytest.mark.parametrize(
    ("created", "text", "remedy"),
    [
        ("2026-11-21T15:03:00Z", "no controller has seen it", LOOK),
        ("2026-11-21T15:04:00Z", "the controller has not seen it yet", ""),
        ("", "the controller has not seen it yet", ""),
    ],
)
def test_an_unobserved_budget_says_where_to_look(
    created: str, text: str, remedy: str
) -> None:
    new = budget(minAvailable=1)
    new["metadata"]["creationTimestamp"] = created
    new["status"] = {"disruptionsAllowed": 0, "expectedPods": 0, "currentHealthy": 0}
    of = diagnosis(new, *pods(2, 2))
    assert (of.phase, of.verdict) == ("Waiting", WAITING)
    (finding,) = of.findings
    assert (text_of(finding), finding.remedy) == (text, remedy)


def test_pods_that_no_controller_counts_say_where_to_look() -> None:
    numbers = {"allowed": 0, "expected": 2, "healthy": 1, "desired": 1}
    its = pods(2, 2)
    for each, since in zip(its, ("15:03:00", "15:03:01"), strict=True):
        each["status"]["conditions"][0]["lastTransitionTime"] = f"2026-11-21T{since}Z"
    assert told(diagnosis(budget(minAvailable=1, **numbers), *its)) == (
        "Waiting",
        WAITING,
        "no disruption controller has counted: 2 Pods are healthy, and the status"
        " says 1",
        LOOK,
    )
    its[1]["status"]["conditions"][0]["lastTransitionTime"] = "2026-11-21T15:04:00Z"
    assert told(diagnosis(budget(minAvailable=1, **numbers), *its))[3] == ""
    for each in its:
        each["metadata"]["creationTimestamp"] = "2026-11-21T15:00:00Z"
    assert told(diagnosis(budget(minAvailable=1), *its)) == (
        "AtLimit",
        WAITING,
        "no eviction is allowed now: its Pods are not counted",
        LOOK,
    )


def test_a_pod_that_was_just_relabelled_may_not_be_counted_yet() -> None:
    numbers = {"allowed": 0, "expected": 2, "healthy": 1, "desired": 1}
    its = pods(2, 2)
    for each in its:
        each["status"]["conditions"][0]["lastTransitionTime"] = "2026-11-21T15:00:00Z"
    of = budget(minAvailable=1, **numbers)
    known = inventory(of, *its)
    selection = selection_of("v1", "Pod")
    known.observe(
        ChangeRecord(
            seq=1,
            time=START,
            type=ChangeType.MODIFIED,
            selection=selection,
            gvk=selection.resource.gvk,
            namespace="shop",
            name=its[1]["metadata"]["name"],
            uid=its[1]["metadata"]["uid"],
            document=its[1],
        )
    )
    entry = known.entry(of["metadata"]["uid"])
    assert entry is not None
    assert told(diagnose(entry, known))[3] == ""


def test_a_pod_that_is_about_to_be_evicted_is_not_counted() -> None:
    """The controller leaves those out that the Eviction API has just accepted."""
    numbers = {"allowed": 0, "expected": 2, "healthy": 1, "desired": 1}
    one = budget(minAvailable=1, **numbers)
    one["status"]["disruptedPods"] = {"web-0": "2026-11-21T15:04:00Z"}
    assert told(diagnosis(one, *pods(2, 2)))[0] == "AtLimit"


def named(name: str, **labels: str) -> dict[str, Any]:
    numbers = {"allowed": 1, "expected": 2, "healthy": 2, "desired": 1}
    return budget(name, minAvailable=1, selector={"matchLabels": labels}, **numbers)


def test_two_budgets_of_one_pod_keep_it_from_being_evicted() -> None:
    one, other, far = named("one", app="web"), named("other"), named("far", app="db")
    of = diagnosis(one, other, far, *pods(2, 2))
    assert (of.phase, of.verdict) == ("Overlapping", FAILING)
    last = of.findings[-1]
    assert (last.verdict, text_of(last), last.remedy) == (
        FAILING,
        "PodDisruptionBudget other selects web-0 and web-1 as well: no Pod of two "
        "budgets can be evicted, and drains wait for good",
        "leave each Pod to one budget, correct a selector or delete one: "
        "kubectl get pdb -n shop",
    )
    assert diagnosis(other, one, *pods(2, 2)).verdict is FAILING
    assert diagnosis(far, one, other).verdict is not OK


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "Pending"},
        {"phase": "Succeeded"},
        {"deletionTimestamp": "2026-11-20T15:00:00Z"},
    ],
)
def test_budgets_are_ignored_if_pods_may_go_anyway(change: dict[str, str]) -> None:
    its = pods(2, 3)
    phase = change.get("phase")
    its[2]["status"]["phase"] = phase or "Running"
    its[2]["metadata"] |= {} if phase else change
    its[2]["metadata"]["labels"] = {"app": "web", "tier": "db"}
    assert diagnosis(named("one", app="web"), named("two", tier="db"), *its).phase == (
        "Ready"
    )
