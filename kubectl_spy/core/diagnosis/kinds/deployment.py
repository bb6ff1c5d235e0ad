"""Deployments: the revision that runs, what the rollout waits for, why it is stuck.

https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Finding,
    Verdict,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.deployment_rollout import (
    EXCEEDED,
    Numbers,
    Revisions,
    next_step,
    numbers,
    pods_of,
    revision,
    revisions,
    stands_still,
)
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.kinds.replica_set import released_pods, replica_failure
from kubectl_spy.core.diagnosis.kinds.workloads import (
    early_diagnosis,
    is_complete,
    is_observed,
    judged,
    unseen_kinds,
)
from kubectl_spy.core.diagnosis.makers import at_its_source
from kubectl_spy.core.fields import condition, flag, moment, number, text
from kubectl_spy.core.remedy import Remedy, advice, kubectl

_CREATION_MARGIN = 2.0  # seconds: the API rounds times to whole seconds


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the progress of the Deployment, and what stops it."""
    found = revisions(entry, inventory)
    at = numbers(entry)
    summary = _summary(entry, at)
    children = _children(entry, found, inventory)
    unseen = unseen_kinds(entry, inventory, "ReplicaSet", "Pod")
    # The updated Pods of an old status are those of the generation before.
    stale = f"{at.available} available"
    early = early_diagnosis(entry, inventory, summary, children, stale=stale)
    if early is not None:
        return early._replace(findings=early.findings + unseen)
    paused = flag(entry.document, "spec", "paused") is True
    complete = is_complete(entry)
    rollout = None
    if step := next_step(entry, at, found, inventory):
        verdict = Verdict.OK if complete else Verdict.WAITING
        rollout = stating(step, "rollout", verdict=verdict)
    candidates = (
        replica_failure(entry),
        _progressing(entry, found, inventory),
        _availability(entry, found, at, inventory),
        _paused(entry, found, complete) if paused else rollout,
        *unseen,
    )
    verdict, findings = judged(candidates, complete=complete)
    phase = _phase(entry, at, paused, complete)
    since = _since(entry, phase)
    return Diagnosis(phase, verdict, summary, findings, children, since)


def _since(entry: Entry, phase: str) -> float | None:
    kind = {"Failed": "Progressing", "Unavailable": "Available"}.get(phase)
    found = condition(entry.document, kind) if kind else {}
    if found.get("status") != "False":
        return None
    return moment(found, "lastTransitionTime")


def _phase(entry: Entry, at: Numbers, paused: bool, complete: bool) -> str:
    if paused:
        return "Paused"
    if stands_still(entry):
        return "Failed"
    if complete:
        return "Complete" if at.desired else "ScaledDown"
    if _rolls_out(entry, at):
        return "Progressing"
    too_many = at.created > at.desired <= at.available
    return "ScalingDown" if too_many else "Unavailable"


def _rolls_out(entry: Entry, at: Numbers) -> bool:
    """Tell whether a new revision is rolling out, not only Pods of the current one."""
    reason = text(condition(entry.document, "Progressing"), "reason")
    if reason == "NewReplicaSetAvailable" or not reason:
        # The condition does not exist without progressDeadlineSeconds.
        return at.created > at.updated or (not reason and at.updated < at.desired)
    return True


def _summary(entry: Entry, at: Numbers) -> str:
    of = revision(entry)
    named = f"revision {of}: " if of else ""
    if at.desired == 0 and at.created == 0:
        return f"{named}no Pods wanted"
    old = f"{at.created - at.updated} old, " if at.created > at.updated else ""
    counts = f"{at.updated} of {at.desired} updated, {old}{at.available} available"
    return f"{named}{counts}"


def _progressing(
    entry: Entry, found: Revisions, inventory: Inventory
) -> Finding | None:
    progressing = condition(entry.document, "Progressing")
    reason = text(progressing, "reason")
    if not progressing or reason in ("DeploymentPaused", "DeploymentResumed"):
        return None
    since = moment(progressing, "lastTransitionTime")
    about = "condition/Progressing"
    if not stands_still(entry):
        done = reason == "NewReplicaSetAvailable"
        code = "RolloutComplete" if done else "RolloutProgresses"
        return finding(code, about, since=since)
    if reason == EXCEEDED:
        deadline = number(entry.document, "spec", "progressDeadlineSeconds")
        remedy = advice("fix what its Pods show")
        if _can_undo(entry, found, inventory):
            remedy = advice("{}, or {}", remedy, _command("rollout undo", entry))
        return finding(
            "NoProgress", about, seconds=deadline, remedy=remedy, since=since
        )
    message = text(progressing, "message") or reason
    remedy = _command("describe", entry)
    return finding("RolloutBlocked", about, message=message, remedy=remedy, since=since)


def _can_undo(entry: Entry, found: Revisions, inventory: Inventory) -> bool:
    """Return whether `kubectl rollout undo` works: it needs another revision.

    kubectl refuses it for a paused Deployment.

    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-to-a-previous-revision
    """
    if flag(entry.document, "spec", "paused"):
        return False
    if inventory.unseen("apps", "ReplicaSet", entry.namespace, owned=True):
        return revision(entry) > 1
    return found.previous is not None


def _availability(
    entry: Entry, found: Revisions, at: Numbers, inventory: Inventory
) -> Finding | None:
    available = condition(entry.document, "Available")
    if not available:
        return None
    since = moment(available, "lastTransitionTime")
    about = "condition/Available"
    if available.get("status") == "True":
        return finding("PodsAvailable", about, since=since)
    broken = _is_broken(entry, found, at, inventory, since)
    return finding(
        "PodsUnavailable",
        about,
        minimum=at.minimum,
        desired=at.desired,
        unavailable=at.unavailable,
        verdict=Verdict.FAILING if broken else Verdict.WAITING,
        since=since,
    )


def _is_broken(
    entry: Entry,
    found: Revisions,
    at: Numbers,
    inventory: Inventory,
    since: float | None,
) -> bool:
    """Tell whether Pods that were available became unavailable.

    The condition is the same for new Pods that are not ready yet: in a rollout, after
    scaling up, and after a Pod was deleted.
    """
    if stands_still(entry):
        return True
    if _rolls_out(entry, at):
        return False
    if inventory.unseen("", "Pod", entry.namespace, owned=True) or since is None:
        return at.updated == at.created == at.desired
    sets = () if found.current is None else (found.current,)
    return any(
        (moment(pod.document, "metadata", "creationTimestamp") or since)
        < since - _CREATION_MARGIN
        for pod in pods_of(sets, inventory)
        if not is_ready(pod) and not pod.replaced
    )


def _paused(entry: Entry, found: Revisions, complete: bool) -> Finding:
    return finding(
        "RolloutPaused",
        "paused",
        complete=complete,
        half=found.exact and not complete,
        verdict=Verdict.OK if complete else Verdict.WAITING,
        remedy=_command("rollout resume", entry),
    )


def _command(verb: str, entry: Entry) -> Remedy:
    command = kubectl(verb + " deployment/{}", entry.name, namespace=entry.namespace)
    return at_its_source(command, entry)


def _children(
    entry: Entry, found: Revisions, inventory: Inventory
) -> tuple[Child, ...]:
    """Return its ReplicaSets, the current one first, and the Pods they released.

    None counts until the ReplicaSet of the new template exists: the new template may
    repair what fails in an old one.
    """
    counts = found.exact and is_observed(entry)
    sets: list[Child] = []
    if found.current:
        role = "current" if found.exact else "newest"
        sets.append(_child(found.current, role, counts=counts))
    if found.current and found.previous:
        # Watches are independent: the new ReplicaSet may arrive before the change of
        # the Deployment.
        newer = counts and revision(found.previous) > revision(found.current)
        role = "next" if newer else "previous"
        sets.append(_child(found.previous, role, counts=newer))
    sets += [
        _child(each, "older", counts=False)
        for each in found.older
        if number(each.document, "status", "replicas")
        or inventory.owned(each.uid, "Pod")
    ]
    released = (released_pods(each, inventory) for each in found.every())
    return (*sets, *(pod for pods in released for pod in pods))


def _child(replica_set: Entry, role: str, *, counts: bool) -> Child:
    of = revision(replica_set)
    return Child(replica_set.uid, f"revision {of}, {role}" if of else role, counts)
