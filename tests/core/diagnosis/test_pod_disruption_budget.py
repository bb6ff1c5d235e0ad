"""Whether a PodDisruptionBudget allows evictions, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.diagnosis.finding import Diagnosis, fact
from tests.builders import Object, backend, budget, conditions, workload
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
from tests.tracing import START, diagnosed_in, diagnosis, inventory, selection_of


def told(row: Row) -> Diagnosis:
    """Check a row in which `it` is the condition DisruptionAllowed."""
    its = (
        f"condition/DisruptionAllowed{each[2:]}" if str(each)[:2] == "it" else each
        for each in row
    )
    return check(tuple(its))


def pods(healthy: int, expected: int) -> list[dict[str, Any]]:
    """Return so many Pods, the first of which are ready."""
    return [backend(f"web-{each}", ready=each < healthy) for each in range(expected)]


def fails(wanted: int | str, **more: Any) -> Object:
    """Return a budget of which the status says nothing."""
    return budget(minAvailable=wanted, **more)


def asks(labels: dict[str, str], *expressions: str) -> Object:
    """Return a budget of a selector with `KEY OPERATOR VALUE…` each."""
    asked = []
    for key, operator, *values in map(str.split, expressions):
        asked.append({"key": key, "operator": operator, "values": values})
    selector = {"matchLabels": labels, "matchExpressions": asked}
    return budget(minAvailable=1, selector=selector)


ROOMY = budget(allowed=1, expected=2, healthy=2, desired=1, minAvailable=1)
LABELS = {"metadata": {"labels": {"app": "web"}}}
IDLE = workload("Deployment", spec={"replicas": 0, "template": LABELS})
OWNER = {"kind": "ReplicaSet", "name": "web", "uid": "set", "controller": True}
CONTROLLED: dict[str, Any] = {"ownerReferences": [OWNER]}
GOING = backend(metadata=CONTROLLED | {"deletionTimestamp": "2026-11-20T15:00:00Z"})
ONE_LESS = budget(maxUnavailable=1)
UNSELECTIVE = budget(minAvailable=1) | {"spec": {"minAvailable": 1, "selector": None}}
TIGHT: dict[str, Any] = {"expected": 3, "desired": 2, "maxUnavailable": 1}
UNSCALABLE = "configmaps does not implement the scale subresource"
# Its controller writes no observedGeneration then, as if it had not seen the budget.
FAILING = budget(maxUnavailable=1) | {
    "status": {
        "disruptionsAllowed": 0,
        "conditions": conditions(DisruptionAllowed=f"False SyncFailed {UNSCALABLE}"),
    }
}
BUDGETS: Rules = {
    "a budget with room is ready": (
        *(ROOMY, backend("a"), backend("b"), backend("c", labels={"app": "db"})),
        "Ready ok",
        "= 1 disruption allowed",
    ),
    "a number may leave no room": (
        budget(minAvailable=2, expected=2, healthy=2, desired=2),
        *(*pods(2, 2), "Blocking unknown"),
        "it: BudgetBlocks pods=2 rule=minAvailable 2",
        "it -> lower minAvailable or raise maxUnavailable, or add replicas",
    ),
    "a share may leave no room": (
        budget(minAvailable="100%", expected=1, healthy=1, desired=1),
        *(*pods(1, 1), "Blocking unknown"),
        "it: BudgetBlocks pods=1 rule=minAvailable 100%",
    ),
    "none that may be unavailable leave no room": (
        budget(maxUnavailable=0, expected=3, healthy=2, desired=3),
        *(*pods(2, 3), "Blocking unknown"),
        "it: BudgetBlocks pods=3 rule=maxUnavailable 0",
    ),
    # The eviction API lets Pods go that are not ready, by the policy of the budget.
    "a budget waits for Pods that are not healthy, which may go": (
        *(budget(healthy=2, **TIGHT), *pods(2, 3), "AtLimit waiting"),
        "it: BudgetAtLimit desired=2 expected=3 healthy=2 rule=maxUnavailable 1"
        " unready",
        "it -> nothing",
    ),
    "a budget with too few healthy Pods lets none go": (
        *(budget(healthy=1, **TIGHT), *pods(1, 3), "AtLimit waiting"),
        "it: BudgetAtLimit desired=2 expected=3 healthy=1 rule=maxUnavailable 1",
        "it -> nothing",
    ),
    "a budget may let all go that are not ready": (
        budget(healthy=1, unhealthyPodEvictionPolicy="AlwaysAllow", **TIGHT),
        *(*pods(1, 3), "AtLimit waiting"),
        "it: BudgetAtLimit desired=2 expected=3 healthy=1 rule=maxUnavailable 1"
        " unready",
        "it -> nothing",
    ),
    "a budget that selects nothing names what is off": (
        *(fails(1), backend(labels={"app": "wbe"}), "NoPods failing"),
        "it: BudgetSelectsNothing differs=(LabelsDiffer labels=[(LabelIs key=app"
        " value=wbe)] pod=web-1)",
        "it -> kubectl get pods --show-labels -n shop",
    ),
    "a budget of what is scaled to 0 waits": (
        *(fails(1), IDLE, "NoPods waiting"),
        "it: waiting BudgetSelectsNothing made=(ScaledToZero kind=Deployment name=web)",
        "it -> kubectl scale deployment/web --replicas=1 -n shop",
    ),
    "what a budget selects may be unknown": (
        *(fails(1), unseen(Pod="pods are forbidden")),
        "NoPods unknown",
        "it: BudgetPodsUnseen why=(ListRefused message=pods are forbidden)",
    ),
    "a budget may have no selector": (
        UNSELECTIVE,
        backend(),
        "it: BudgetWithoutSelector",
    ),
    "expressions that no Pod meets are written out": (
        *(asks({}, "app In api", "tier Exists"), backend()),
        "it: BudgetSelectsNothing differs=(ExpressionsUnmet pod=web-1 unmet=[app"
        " in (api), tier])",
    ),
    "values that no Pod may have are written out": (
        *(asks({"app": "web"}, "app NotIn web db"), backend()),
        "it: BudgetSelectsNothing differs=(ExpressionsUnmet pod=web-1 unmet=[app"
        " notin (web, db)])",
    ),
    "labels that no Pod may have are written out": (
        *(asks({"app": "web"}, "app DoesNotExist", "tier In a b"), backend()),
        "it: BudgetSelectsNothing differs=(ExpressionsUnmet pod=web-1 unmet=[!app,"
        " tier in (a, b)])",
    ),
    "Pods without a controller cannot be counted as a share": (
        *(ONE_LESS, backend(), "Uncounted failing"),
        "it: BudgetWithoutController rule=maxUnavailable 1",
        "it -> use minAvailable, with a number, and no maxUnavailable",
    ),
    "a number of Pods needs no controller to be counted": (
        *(fails(1), backend(), "AtLimit waiting"),
        "it: BudgetPodsUncounted",
        "it -> nothing",
    ),
    "a share of Pods needs a controller to be counted": (
        *(fails("50%"), backend(), "Uncounted failing"),
    ),
    "a budget waits while its workload is scaled to 0": (
        *(ONE_LESS, GOING, IDLE, "NoPods waiting"),
        "it: BudgetPodsEnded made=(ScaledToZero kind=Deployment name=web)",
        "it -> kubectl scale deployment/web --replicas=1 -n shop",
    ),
    "a budget waits while its Pods go": (
        ONE_LESS,
        GOING,
        "it: BudgetPodsEnded",
        "it -> nothing",
    ),
    "a budget waits until the Pods of a controller are counted": (
        *(ONE_LESS, backend(metadata=CONTROLLED), "AtLimit waiting"),
        "it: BudgetPodsUncounted",
    ),
    "one Pod without a controller is too many": (
        *(ONE_LESS, backend(), backend("b", metadata=CONTROLLED)),
        "Uncounted failing",
    ),
    "a budget whose controller fails says why": (
        *(FAILING, backend(), "Failed failing"),
        "it: failing Reported message=configmaps does not implement the scale"
        " subresource reason=SyncFailed status=False type=DisruptionAllowed",
    ),
}


@rows(BUDGETS)
def test_budgets_say_why_nothing_may_be_evicted(row: Row) -> None:
    of = told(row)
    assert of.phase == "Ready" or of.findings[0].verdict is of.verdict


def test_the_pods_of_a_budget_stand_under_it() -> None:
    its = backend("a"), backend("b"), backend("c", labels={"app": "db"})
    below = diagnosis(ROOMY, *its).children or ()
    assert [each.uid for each in below] == ["uid-shop-a", "uid-shop-b"]


LOOK = (
    "see whether kube-controller-manager renews its Lease: "
    "kubectl get lease kube-controller-manager -o yaml -n kube-system"
)


def unobserved(created: str) -> tuple[Object, ...]:
    new = budget(minAvailable=1)
    new["metadata"]["creationTimestamp"] = created
    new["status"] = {"disruptionsAllowed": 0, "expectedPods": 0, "currentHealthy": 0}
    return (new, *pods(2, 2))


def since(*times: str, made: str = "") -> list[Object]:
    """Return Pods that are ready since these times."""
    its = pods(len(times), len(times))
    for each, time in zip(its, times, strict=True):
        condition = each["status"]["conditions"][0]
        condition["lastTransitionTime"] = f"2026-11-21T{time}Z"
        each["metadata"] |= {"creationTimestamp": made} if made else {}
    return its


MISCOUNTED = budget(minAvailable=1, expected=2, healthy=1, desired=1)
CONTROLLERS: Rules = {
    "a status that counts too few is ignored": (
        *(MISCOUNTED, *pods(2, 3), "Waiting waiting", "= "),
        "it: BudgetUncounted counted=1 healthy=2",
        "no others",
    ),
    "a status that counts too many is ignored": (
        budget(minAvailable=1, allowed=1, expected=3, healthy=3, desired=2),
        *(*pods(1, 3), "Waiting waiting", "= "),
        "it: BudgetUncounted counted=3 healthy=1",
        "no others",
    ),
    "a status of one Pod may be of three": (
        budget(minAvailable=1, expected=1, healthy=1, desired=1),
        *(*pods(3, 3), "Waiting waiting", "= "),
        "it: BudgetUncounted counted=1 healthy=3",
        "no others",
    ),
    "an unobserved budget says where to look": (
        *(*unobserved("2026-11-21T15:03:00Z"), "Waiting waiting"),
        *("generation: NotObserved late", "no others", f"generation -> {LOOK}"),
    ),
    "a new budget is not observed yet": (
        *(*unobserved("2026-11-21T15:04:00Z"), "Waiting waiting"),
        *("generation: NotObserved", "no others", "generation -> nothing"),
    ),
    "a budget without a time is not observed yet": (
        *(*unobserved(""), "Waiting waiting"),
        *("generation: NotObserved", "no others", "generation -> nothing"),
    ),
    "Pods that no controller counts say where to look": (
        *(MISCOUNTED, *since("15:03:00", "15:03:01"), "Waiting waiting"),
        *(
            "it: BudgetUncounted counted=1 healthy=2 late",
            f"it -> {LOOK}",
        ),
    ),
    "Pods that were just ready may not be counted yet": (
        *(MISCOUNTED, *since("15:03:00", "15:04:00")),
        "it -> nothing",
    ),
    "Pods that are never counted say where to look": (
        fails(1),
        *since("15:03:00", "15:04:00", made="2026-11-21T15:00:00Z"),
        *(
            "AtLimit waiting",
            "it: BudgetPodsUncounted late",
            f"it -> {LOOK}",
        ),
    ),
}


@rows(CONTROLLERS)
def test_a_controller_that_does_not_count_is_looked_for(row: Row) -> None:
    told(row)


def test_a_pod_that_was_just_relabelled_may_not_be_counted_yet() -> None:
    its = since("15:00:00", "15:00:00")
    known = inventory(MISCOUNTED, *its)
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
    assert diagnosed_in(known, MISCOUNTED["metadata"]["uid"]).findings[0].remedy == ""


def test_a_pod_that_is_about_to_be_evicted_is_not_counted() -> None:
    """The controller leaves those out that the Eviction API has just accepted."""
    one = budget(minAvailable=1, expected=2, healthy=1, desired=1)
    one["status"]["disruptedPods"] = {"web-0": "2026-11-21T15:04:00Z"}
    assert diagnosis(one, *pods(2, 2)).phase == "AtLimit"


def named(name: str, **labels: str) -> dict[str, Any]:
    numbers = {"allowed": 1, "expected": 2, "healthy": 2, "desired": 1}
    return budget(name, minAvailable=1, selector={"matchLabels": labels}, **numbers)


def test_two_budgets_of_one_pod_keep_it_from_being_evicted() -> None:
    one, other, far = named("one", app="web"), named("other"), named("far", app="db")
    of = check((one, other, far, *pods(2, 2), "Overlapping failing"))
    last = of.findings[-1]
    assert last.fact == fact(
        "BudgetsOverlap", budgets=("other",), pods=("web-0", "web-1")
    )
    assert last.remedy == (
        "leave each Pod to one budget, correct a selector or delete one: "
        "kubectl get pdb -n shop"
    )
    assert diagnosis(other, one, *pods(2, 2)).verdict.value == "failing"
    assert diagnosis(far, one, other).verdict.value != "ok"


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
