"""PodDisruptionBudgets: how many Pods may be evicted now, and why none.

https://kubernetes.io/docs/tasks/run-application/configure-pdb/
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.cluster.selectors import matches
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds import generic, pod
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.kinds.workloads import (
    neglected,
    unobserved,
    with_crash_loops,
)
from kubectl_spy.core.diagnosis.selectors import absence
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import condition, mapping, moment, number, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl


class _Refusal(NamedTuple):
    """Why no eviction is allowed."""

    phase: str
    fact: Fact
    verdict: Verdict | None = None  # None: as findings.txt says
    remedy: Remedy | None = None


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return whether evictions are allowed. The selected Pods are its children."""
    pods = _selected(entry, inventory.every("", "Pod", entry.namespace))
    children = tuple(Child(each.uid, counts=False) for each in pods)
    found = _diagnosis(entry, pods, inventory)._replace(children=children)
    shared = _overlap(entry, pods, inventory)
    if shared is None or text(entry.document, "metadata", "deletionTimestamp"):
        return found
    findings = (*found.findings, shared)
    return found._replace(
        phase="Overlapping", verdict=shared.verdict, findings=findings
    )


def _diagnosis(entry: Entry, pods: list[Entry], inventory: Inventory) -> Diagnosis:
    found = generic.diagnose(entry, inventory)
    if found.phase == "Failed":
        failed = [each._replace(verdict=Verdict.FAILING) for each in found.findings]
        return found._replace(findings=tuple(failed))
    if found.phase != "Ready":
        waits = found.phase == "InProgress"
        return (unobserved(entry, inventory) if waits else None) or found
    refusal = _uncounted(entry, pods, inventory)
    if refusal is None and number(entry.document, "status", "disruptionsAllowed"):
        # The budget does not report what its Pods fail at, but counts on them.
        return with_crash_loops(
            found,
            (
                inventory.once(pod.diagnose, each).restarts
                for each in pods
                if not each.replaced
            ),
        )
    phase, of, verdict, remedy = refusal or _refusal(entry, pods, inventory)
    about = "DisruptionAllowed"
    since = moment(condition(entry.document, about), "lastTransitionTime")
    stated = stating(
        of, f"condition/{about}", verdict=verdict, remedy=remedy, since=since
    )
    return found._replace(
        phase=phase, verdict=stated.verdict, summary="", findings=(stated,)
    )


def _uncounted(
    entry: Entry, pods: list[Entry], inventory: Inventory
) -> _Refusal | None:
    """Return a refusal if the status is behind the Pods, as far as is known.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/disruption/disruption.go
    """
    status = mapping(entry.document, "status")
    unseen = inventory.unseen("", "Pod", entry.namespace)
    if unseen or not number(status, "expectedPods"):
        return None
    # Accepted evictions of Pods that are not being deleted yet.
    accepted = mapping(status, "disruptedPods")
    healthy = sum(is_ready(each) and each.name not in accepted for each in pods)
    counted = number(status, "currentHealthy")
    if healthy == counted:
        return None
    remedy = NO_REMEDY
    if healthy > counted:  # of a Pod that is gone, no time is known
        since = (
            each.since(moment(condition(each.document, "Ready"), "lastTransitionTime"))
            for each in pods
            if is_ready(each)
        )
        remedy = neglected(_last(since), inventory)
    late = bool(remedy)
    of = fact("BudgetUncounted", late=late, healthy=healthy, counted=counted)
    return _Refusal("Waiting", of, remedy=remedy)


def _last(times: Iterable[float | None]) -> float | None:
    return max((each for each in times if each is not None), default=None)


def _refusal(entry: Entry, pods: list[Entry], inventory: Inventory) -> _Refusal:
    status = mapping(entry.document, "status")
    expected, healthy = number(status, "expectedPods"), number(status, "currentHealthy")
    desired = number(status, "desiredHealthy")
    rule = _rule(entry)
    if expected == 0:
        return _nothing(entry, pods, inventory)
    if desired >= expected:
        # It may be intended, and is an obstacle even so: the API does not say which.
        return _Refusal("Blocking", fact("BudgetBlocks", rule=rule, pods=expected))
    # https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
    policy = text(entry.document, "spec", "unhealthyPodEvictionPolicy")
    may = policy == "AlwaysAllow" or healthy >= desired > 0
    of = fact(
        "BudgetAtLimit",
        healthy=healthy,
        expected=expected,
        rule=rule,
        desired=desired,
        unready=healthy < expected and may,
    )
    return _Refusal("AtLimit", of)


def _rule(entry: Entry) -> str:
    spec = mapping(entry.document, "spec")
    for name in ("minAvailable", "maxUnavailable"):
        if isinstance(value := spec.get(name), (int, str)):
            return message_line(f"{name} {value}", 60)
    return ""


def _nothing(entry: Entry, pods: list[Entry], inventory: Inventory) -> _Refusal:
    spec = mapping(entry.document, "spec")
    staying = [each for each in pods if not each.replaced]
    of_replicas = not isinstance(spec.get("minAvailable"), int)
    if of_replicas and not all(controller_of(each.document) for each in staying):
        # https://kubernetes.io/docs/tasks/run-application/configure-pdb/#arbitrary-controllers-and-selectors
        return _Refusal("Uncounted", fact("BudgetWithoutController", rule=_rule(entry)))
    if staying:
        made = (
            each.since(moment(each.document, "metadata", "creationTimestamp"))
            for each in staying
        )
        remedy = neglected(_last(made), inventory)
        of = fact("BudgetPodsUncounted", late=bool(remedy))
        return _Refusal("AtLimit", of, remedy=remedy)
    if why := inventory.unseen("", "Pod", entry.namespace):
        return _Refusal("NoPods", fact("BudgetPodsUnseen", why=why))
    selector = spec.get("selector")
    if not isinstance(selector, dict):
        remedy = kubectl("edit pdb {}", entry.name, namespace=entry.namespace)
        return _Refusal("NoPods", fact("BudgetWithoutSelector"), remedy=remedy)
    absent = absence(selector, entry.namespace, inventory)
    if pods and not absent.idle:
        return _Refusal("NoPods", fact("BudgetPodsEnded"))
    code = "BudgetPodsEnded" if pods else "BudgetSelectsNothing"
    verdict = Verdict.WAITING if absent.idle else Verdict.FAILING
    return _Refusal("NoPods", fact(code, **absent.args), verdict, absent.remedy)


def _selected(budget: Entry, pods: Iterable[Entry]) -> list[Entry]:
    selector = mapping(budget.document, "spec").get("selector")
    if not isinstance(selector, dict):
        return []
    return [
        each
        for each in pods
        if matches(selector, mapping(each.document, "metadata", "labels"))
    ]


def _overlap(entry: Entry, pods: list[Entry], inventory: Inventory) -> Finding | None:
    """Return which other budgets select the same Pods: none of those can be evicted.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/registry/core/pod/storage/eviction.go
    """
    # The Eviction API does not ask budgets about the others.
    counted = [
        each
        for each in pods
        if not each.replaced and text(each.document, "status", "phase") != "Pending"
    ]
    budgets: list[str] = []
    shared: dict[str, None] = {}
    for other in inventory.every(entry.gvk.group, entry.gvk.kind, entry.namespace):
        deleted = text(other.document, "metadata", "deletionTimestamp")
        if other.uid == entry.uid or deleted:
            continue
        if both := _selected(other, counted):
            budgets.append(other.name)
            shared |= dict.fromkeys(each.name for each in both)
    if not budgets:
        return None
    remedy = advice(
        "leave each Pod to one budget, correct a selector or delete one: {}",
        kubectl("get pdb", namespace=entry.namespace),
    )
    return finding(
        "BudgetsOverlap",
        "overlap",
        budgets=tuple(budgets),
        pods=tuple(shared),
        remedy=remedy,
    )
