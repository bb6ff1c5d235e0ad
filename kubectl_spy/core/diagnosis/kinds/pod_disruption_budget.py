"""PodDisruptionBudget: how many Pods may be evicted now, and why none.

https://kubernetes.io/docs/tasks/run-application/configure-pdb/
"""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.label_selectors import matches
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import generic, pod
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready, is_replaced
from kubectl_spy.core.diagnosis.kinds.workloads import with_crash_loops
from kubectl_spy.core.diagnosis.selectors import absence
from kubectl_spy.core.diagnosis.wording import listed, many, many_are, one_line, part_of
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return whether evictions are allowed; the Pods it selects stand under it."""
    pods = selected(entry, seen.every("", "Pod", entry.namespace))
    children = tuple(Child(each.uid, counts=False) for each in pods)
    found = _diagnosis(entry, pods, seen)._replace(children=children)
    shared = overlap(entry, pods, seen)
    if shared is None or text(entry.document, "metadata", "deletionTimestamp"):
        return found
    return found._replace(
        phase="Overlapping",
        verdict=shared.verdict,
        findings=(*found.findings, shared),
    )


def _diagnosis(entry: Entry, pods: list[Entry], seen: Inventory) -> Diagnosis:
    """Return how the budget is by itself, and by its *pods*."""
    found = generic.diagnose(entry, seen)
    if found.phase == "Failed":
        failed = [each._replace(verdict=Verdict.FAILING) for each in found.findings]
        return found._replace(findings=tuple(failed))
    if found.phase != "Ready":
        return found
    allowed = number(entry.document, "status", "disruptionsAllowed")
    stale = _uncounted(entry, pods, seen)
    if allowed and not stale:
        living = (each for each in pods if not is_replaced(each))
        # What its Pods fail at is not the budget's, but it counts on them.
        return with_crash_loops(
            found, (seen.once(pod.diagnose, each).restarts for each in living)
        )
    phase, verdict, told, remedy = "Waiting", Verdict.WAITING, stale, NO_REMEDY
    if not stale:
        phase, verdict, told, remedy = _refusal(entry, pods, seen)
    finding = Finding("condition/DisruptionAllowed", verdict, told, remedy)
    since = moment(condition(entry.document, "DisruptionAllowed"), "lastTransitionTime")
    return found._replace(
        phase=phase,
        verdict=verdict,
        summary="",
        findings=(finding._replace(since=since),),
    )


def _uncounted(entry: Entry, pods: list[Entry], seen: Inventory) -> str:
    """Say that the status is behind the Pods; "" if it is not, as far as is known.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/disruption/disruption.go
    """
    status = mapping(entry.document, "status")
    if not number(status, "expectedPods") or seen.unseen("", "Pod", entry.namespace):
        return ""
    # Evictions that were accepted, of Pods that are not being deleted yet.
    accepted = mapping(status, "disruptedPods")
    healthy = sum(is_ready(each) and each.name not in accepted for each in pods)
    said = number(status, "currentHealthy")
    if healthy == said:
        return ""
    told = f"the disruption controller has not counted yet: {many_are(healthy, 'Pod')}"
    return f"{told} healthy, and the status says {said}"


def _refusal(
    entry: Entry, pods: list[Entry], seen: Inventory
) -> tuple[str, Verdict, str, Remedy]:
    """Return why no eviction is allowed: phase, verdict, text and remedy.

    That a budget leaves no room may be meant, and is an obstacle all the same: the API
    does not say which.
    """
    status = mapping(entry.document, "status")
    expected, healthy = number(status, "expectedPods"), number(status, "currentHealthy")
    desired = number(status, "desiredHealthy")
    rule = _rule(entry)
    if expected == 0:
        return _nothing(entry, pods, seen)
    if desired >= expected:
        told = f"{rule} leaves no room among {many(expected, 'Pod')}"
        told = f"no healthy Pod may ever be evicted, and drains wait for good: {told}"
        remedy = advice("lower minAvailable or raise maxUnavailable, or add replicas")
        return "Blocking", Verdict.UNKNOWN, told, remedy
    told = f"no healthy Pod may be evicted now: {part_of(healthy, expected, 'Pod')}"
    told += f" healthy, and {rule} requires {desired}"
    if healthy < expected and _unready_may_go(entry, healthy, desired):
        told += "; Pods that are not ready may be evicted"
    return "AtLimit", Verdict.WAITING, told, NO_REMEDY


def _unready_may_go(entry: Entry, healthy: int, desired: int) -> bool:
    """Return whether Pods that are not ready may be evicted all the same.

    https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
    """
    policy = text(entry.document, "spec", "unhealthyPodEvictionPolicy")
    return policy == "AlwaysAllow" or healthy >= desired > 0


def _rule(entry: Entry) -> str:
    spec = mapping(entry.document, "spec")
    for name in ("minAvailable", "maxUnavailable"):
        if isinstance(value := spec.get(name), (int, str)):
            return one_line(f"{name} {value}", 60)
    return "its spec"


def _nothing(
    entry: Entry, pods: list[Entry], seen: Inventory
) -> tuple[str, Verdict, str, Remedy]:
    """Say why it has no Pod to protect."""
    staying = [each for each in pods if not is_replaced(each)]
    of_replicas = not isinstance(
        mapping(entry.document, "spec").get("minAvailable"), int
    )
    if of_replicas and not all(map(_has_controller, staying)):
        # https://kubernetes.io/docs/tasks/run-application/configure-pdb/#arbitrary-controllers-and-selectors
        told = f"{_rule(entry)} counts replicas, and its Pods have no controller"
        remedy = advice("set minAvailable, and to a number")
        return "Uncounted", Verdict.FAILING, f"no eviction is allowed: {told}", remedy
    if staying:
        told = "no eviction is allowed now: its Pods are not counted yet"
        return "AtLimit", Verdict.WAITING, told, NO_REMEDY
    if why := seen.unseen("", "Pod", entry.namespace):
        told = f"it protects nothing: which Pods it selects is unknown: {why}"
        return "NoPods", Verdict.UNKNOWN, told, NO_REMEDY
    selector = mapping(entry.document, "spec").get("selector")
    if not isinstance(selector, dict):
        remedy = kubectl("edit pdb {}", entry.name, namespace=entry.namespace)
        told = "it protects nothing: it has no selector"
        return "NoPods", Verdict.FAILING, told, remedy
    absent = absence(selector, entry.namespace, seen)
    verdict = Verdict.WAITING if absent.idle else Verdict.FAILING
    if pods:
        told = "it protects nothing: all its Pods are terminating or have ended"
        if not absent.idle:
            return "NoPods", Verdict.WAITING, told, NO_REMEDY
        return "NoPods", Verdict.WAITING, f"{told}{absent.why}", absent.remedy
    told = f"it protects nothing, its selector matches no Pod{absent.why}"
    return "NoPods", verdict, told, absent.remedy


def _has_controller(pod: Entry) -> bool:
    owners = mappings(pod.document, "metadata", "ownerReferences")
    return any(each.get("controller") is True for each in owners)


_SHOWN = 3
"""Pods and budgets that one line names."""


def selected(budget: Entry, pods: Iterable[Entry]) -> list[Entry]:
    """Return those of *pods*, all of its namespace, that a budget selects."""
    selector = mapping(budget.document, "spec").get("selector")
    if not isinstance(selector, dict):
        return []
    return [
        each
        for each in pods
        if matches(selector, mapping(each.document, "metadata", "labels"))
    ]


def overlap(entry: Entry, pods: list[Entry], seen: Inventory) -> Finding | None:
    """Return which other budgets select some of the *pods* of a budget."""
    counted = [each for each in pods if not _goes_anyway(each)]
    budgets: list[str] = []
    shared: dict[str, None] = {}
    for other in seen.every(entry.gvk.group, entry.gvk.kind, entry.namespace):
        leaving = text(other.document, "metadata", "deletionTimestamp")
        if other.uid == entry.uid or leaving:
            continue
        if both := selected(other, counted):
            budgets.append(other.name)
            shared |= dict.fromkeys(each.name for each in both)
    if not budgets:
        return None
    many = len(budgets) > 1
    told = f"PodDisruptionBudget{'s' if many else ''} {_named(budgets)}"
    told += f" select{'' if many else 's'} {_named(list(shared))} as well"
    told += ": no Pod of two budgets can be evicted, and drains wait for good"
    remedy = advice(
        "leave each Pod to one budget, correct a selector or delete one: {}",
        kubectl("get pdb", namespace=entry.namespace),
    )
    return Finding("overlap", Verdict.FAILING, one_line(told, 400), remedy)


def _goes_anyway(pod: Entry) -> bool:
    """Tell whether a Pod may be evicted whatever its budgets say."""
    return is_replaced(pod) or text(pod.document, "status", "phase") == "Pending"


def _named(names: list[str]) -> str:
    if len(names) > _SHOWN:
        names = [*names[:_SHOWN], f"{len(names) - _SHOWN} more"]
    return listed(names)
