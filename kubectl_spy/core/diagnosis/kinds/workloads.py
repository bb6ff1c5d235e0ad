"""Rules that the kinds with Pods share, from ReplicaSet to CronJob."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import owner_uids
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    finding,
)
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.pods import ending
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import condition, mapping, moment, number
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.readiness import State, readiness
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_CREATED = re.compile(
    r"^(?:Created pod: (?P<pod>\S+)|[Cc]reate Pod (?P<ordinal>\S+) in StatefulSet )"
)
"""https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/controller_utils.go"""
_PATIENCE = 60.0  # seconds that a controller may take; a new leader takes over in less
_MANAGER = "kube-controller-manager"
_BELOW = {  # by kind: group, resource as RBAC names it, the code
    "Pod": ("", "pods", "PodsUnseen"),
    "ReplicaSet": ("apps", "replicasets.apps", "ReplicaSetsUnseen"),
    "Job": ("batch", "jobs.batch", "JobsUnseen"),
}


class _Lost(NamedTuple):
    name: str
    why: Fact
    when: float


def is_complete(entry: Entry) -> bool:
    """Tell whether the status meets the spec, by the rules of `--for ready`."""
    found = readiness(entry.document, has_status=entry.has_status)
    return found.state is State.CURRENT


def early_diagnosis(
    entry: Entry,
    inventory: Inventory,
    summary: str,
    children: tuple[Child, ...],
    *,
    stale: str,
) -> Diagnosis | None:
    """Return the diagnosis of an object that is being deleted or whose status is old.

    None if the status can be judged. *stale* is the summary of an old status.
    """
    deleted = terminating(entry, inventory, summary, children)
    return deleted or unobserved(entry, inventory, stale, children)


def is_observed(entry: Entry) -> bool:
    """Tell whether the status is of the current spec.

    Neither success nor failure in an older status says anything about the spec of now.
    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
    """
    generation = number(entry.document, "metadata", "generation")
    observed = number(entry.document, "status", "observedGeneration")
    return observed >= generation and observed > 0


def unobserved(
    entry: Entry,
    inventory: Inventory,
    summary: str = "",
    children: tuple[Child, ...] = (),
) -> Diagnosis | None:
    """Return the diagnosis of an object whose status is of an older spec, or None."""
    if is_observed(entry):
        return None
    began: float | None = entry.time
    generation: int | None = number(entry.document, "metadata", "generation")
    if not number(entry.document, "status", "observedGeneration"):
        generation = None
        began = entry.since(moment(entry.document, "metadata", "creationTimestamp"))
    found = unseen_by_controller(generation, began, inventory)
    return Diagnosis("Waiting", Verdict.WAITING, summary, (found,), children)


def unseen_by_controller(
    generation: int | None, began: float | None, inventory: Inventory
) -> Finding:
    """Return the finding that no controller has observed the object since *began*.

    None is an object of which no controller has observed any generation.
    """
    remedy = neglected(began, inventory)
    return finding(
        "NotObserved",
        "generation",
        generation=generation,
        late=bool(remedy),
        remedy=remedy,
    )


def neglected(began: float | None, inventory: Inventory) -> Remedy:
    """Return what to look at if a controller had something to do for too long.

    It could since *began*. A controller manager that runs renews its Lease.
    https://kubernetes.io/docs/concepts/architecture/leases/#leader-election
    """
    if began is None or inventory.is_before(began + _PATIENCE):
        return NO_REMEDY
    lease = kubectl("get lease {} -o yaml", _MANAGER, namespace="kube-system")
    return advice("see whether {} renews its Lease: {}", _MANAGER, lease)


def judged(
    candidates: Iterable[Finding | None], *, complete: bool
) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return the verdict on an object, and those of *candidates* that are not None.

    A complete object does not fail: a remaining problem, such as a surplus Pod that
    cannot be deleted, only waits.
    """
    findings = tuple(each for each in candidates if each is not None)
    failing = any(each.verdict is Verdict.FAILING for each in findings)
    if not complete:
        return Verdict.FAILING if failing else Verdict.WAITING, findings
    harmless = (
        each._replace(verdict=Verdict.WAITING, final=False)
        if each.verdict is Verdict.FAILING
        else each
        for each in findings
    )
    return Verdict.OK, tuple(harmless)


def with_crash_loops(diagnosis: Diagnosis, restarts: Iterable[int]) -> Diagnosis:
    """Return *diagnosis* as WAITING if a Pod of the object is in a crash loop.

    Such a Pod is ready between two runs, and every status above it looks fine.
    *restarts* has one number for each Pod, 0 for a Pod in no crash loop.
    """
    if diagnosis.verdict is not Verdict.OK:
        return diagnosis
    pods = list(restarts)
    loops = [each for each in pods if each]
    if not loops:
        return diagnosis
    found = finding(
        "PodsInCrashLoop",
        "restarts",
        loops=len(loops),
        pods=len(pods),
        again=min(loops) > 1,
    )
    return diagnosis._replace(
        verdict=Verdict.WAITING, findings=(*diagnosis.findings, found)
    )


def unseen_kinds(
    entry: Entry, inventory: Inventory, *kinds: str
) -> tuple[Finding, ...]:
    """Return a finding for each of *kinds* that cannot be listed, or was not asked for.

    An object whose owner is in the trace has none: its owner reports them.
    """
    if any(inventory.entry(uid) for uid in owner_uids(entry.document)):
        return ()
    findings = []
    for kind in kinds:
        group, resource, code = _BELOW[kind]
        if not (why := inventory.unseen(group, kind, entry.namespace, owned=True)):
            continue
        # https://kubernetes.io/docs/reference/access-authn-authz/rbac/
        rights = advice("ask for list and watch on {}", resource)
        remedy = rights if why.code == "ListForbidden" else NO_REMEDY
        findings.append(finding(code, f"{kind.lower()}s", why=why, remedy=remedy))
    return tuple(findings)


def lost_pods(entry: Entry, inventory: Inventory, *, complete: bool) -> Finding | None:
    """Return why Pods of the object were preempted, evicted or removed for a taint.

    It names the last of those that have no replacement. A *complete* object lacks none.
    https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
    """
    if complete:
        return None
    pods = [*inventory.owned(entry.uid, "Pod"), *inventory.gone(entry.uid, "Pod")]
    found = {
        each.name: each
        for each in sorted(_lost(entry, inventory), key=lambda each: each.when)
        if not any(_replaces(pod, each) for pod in pods)
    }
    if not found:
        return None
    *others, last = sorted(found.values(), key=lambda each: (each.when, each.name))
    return finding(
        "PodsLost",
        "lost",
        pod=last.name,
        why=last.why,
        others=len(others) or None,
        since=last.when or None,
    )


def _replaces(pod: Entry, lost: _Lost) -> bool:
    """Tell whether *pod* has the same name and is newer, or is ready in its place.

    A controller may replace a Pod within the second of its removal.
    """
    created = moment(pod.document, "metadata", "creationTimestamp") or 0.0
    if pod.name == lost.name:
        return created > lost.when
    return created >= int(lost.when) > 0 and is_ready(pod)


def _lost(entry: Entry, inventory: Inventory) -> Iterator[_Lost]:
    for name, created in _creations(entry, inventory).items():
        if inventory.named("", "Pod", entry.namespace, name) is None:
            fate = inventory.fate(entry.namespace, name)
            if fate is None or (fate.last or 0.0) < created:
                continue
            if why := ending.fate(fate, inventory):
                yield _Lost(name, why, fate.last or 0.0)
    for gone in inventory.gone(entry.uid, "Pod"):
        if why := ending.disrupted_by(SeenPod.of(gone, inventory)):
            target = condition(gone.document, "DisruptionTarget")
            when = moment(target, "lastTransitionTime") or gone.time
            yield _Lost(gone.name, why, when)


def _creations(entry: Entry, inventory: Inventory) -> dict[str, float]:
    """Return the last creation time of each Pod of the object, from its Events."""
    times: dict[str, float] = {}
    for event in inventory.events(entry.uid):
        if event.reason == "SuccessfulCreate":
            found = _CREATED.match(brief(event.message))
            if found is not None:
                times[found["pod"] or found["ordinal"]] = event.last or 0.0
    return times


def ready_seconds(entry: Entry) -> int | None:
    """Return how long a Pod of the object must be ready to be available, or None."""
    return number(entry.document, "spec", "minReadySeconds") or None


def int_or_percent(value: JSON, *steps: str, of: int, up: bool) -> int | None:
    """Return the number found down *steps*, which may be a percentage of *of*.

    Percentages are rounded *up* or down; None if there is no number.
    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-surge

    >>> int_or_percent({"maxSurge": "25%"}, "maxSurge", of=3, up=True)
    1
    """
    *above, last = steps
    found = mapping(value, *above).get(last)
    if type(found) is int:
        return found
    if isinstance(found, str) and re.fullmatch(r"[0-9]{1,9}%", found):
        share = int(found[:-1]) * of
        return -(-share // 100) if up else share // 100
    return None
