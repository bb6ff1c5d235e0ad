"""What the rollout of a Deployment waits for now, in one line.

The arithmetic is the controller's: never more Pods than replicas + maxSurge, never
fewer available than replicas - maxUnavailable.
https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.counting import (
    int_or_percent,
    many,
    many_are,
    part_of,
)
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.replica_set import replica_failure
from kubectl_spy.core.diagnosis.kinds.revisions import Revisions, pods_of, wanted_pods
from kubectl_spy.core.fields import condition, mapping, number, text

EXCEEDED = "ProgressDeadlineExceeded"
"""The reason of the condition Progressing when a rollout took too long."""


class Numbers(NamedTuple):
    """Pods of a Deployment, as its status counts them, and what it allows."""

    desired: int
    created: int
    """Of all revisions, but for those that are ending."""
    updated: int
    available: int
    ending: int
    surge: int
    unavailable: int
    """How many may be unavailable."""
    recreate: bool
    """All old Pods end before a new one is created."""

    @property
    def minimum(self) -> int:
        """How many Pods have to be available."""
        return max(self.desired - self.unavailable, 0)

    @property
    def limits(self) -> str:
        """What bounds the rollout, as the spec names it."""
        return f"maxSurge {self.surge}, maxUnavailable {self.unavailable}"


def numbers(deployment: Entry) -> Numbers:
    """Return the numbers of *deployment*, percentages worked out."""
    document = deployment.document
    desired = number(document, "spec", "replicas", default=1)
    recreate = text(document, "spec", "strategy", "type") == "Recreate"
    limits = mapping(document, "spec", "strategy", "rollingUpdate")
    surge = int_or_percent(limits, "maxSurge", of=desired, up=True)
    unavailable = int_or_percent(limits, "maxUnavailable", of=desired, up=False)
    if recreate:
        surge, unavailable = 0, desired
    elif surge == 0 and not unavailable:
        unavailable = 1  # or nothing could ever be replaced
    return Numbers(
        desired=desired,
        created=number(document, "status", "replicas"),
        updated=number(document, "status", "updatedReplicas"),
        available=number(document, "status", "availableReplicas"),
        ending=number(document, "status", "terminatingReplicas"),
        surge=surge or 0,
        unavailable=min(unavailable or 0, desired),
        recreate=recreate,
    )


def stands_still(deployment: Entry) -> bool:
    """Tell whether the rollout cannot go on, or took too long.

    `kubectl rollout status` asks for the reason alone.
    """
    progressing = condition(deployment.document, "Progressing")
    exceeded = progressing.get("reason") == EXCEEDED
    return exceeded or progressing.get("status") == "False"


def waits_for(deployment: Entry, found: Revisions, seen: Inventory) -> str:
    """Return what the next step is and what it waits for; "" if there is none."""
    at = numbers(deployment)
    old = max(at.created - at.updated, 0)
    if at.recreate and (recreating := _recreating(at, found, seen)):
        return recreating
    if not (found.exact or at.updated or _unseen(deployment, seen)) and at.desired:
        return "the ReplicaSet of the new revision is not created yet"
    if at.updated < at.desired:
        refused = replica_failure(deployment) is not None or (
            found.current is not None
            and refused_creation(found.current, seen, "Pods") is not None
        )
        return _creating(at, found, old, refused=refused)
    if old:
        return _removing_old(at, found, old)
    if at.updated > at.desired:
        return f"{many_are(at.updated - at.desired, 'Pod')} too many and being deleted"
    if at.available < at.desired:
        missing = many(at.desired - at.available, "Pod")
        return f"waits for {missing} to be {_available(deployment)}"
    if at.ending:
        return f"{many_are(at.ending, 'Pod')} still ending"
    return ""


def _recreating(at: Numbers, found: Revisions, seen: Inventory) -> str:
    pods = pods_of(found.outdated(), seen)
    if not pods or at.updated:
        return ""
    ending = sum(map(is_ending, pods))
    also = f" ({ending} ending)" if ending else ""
    return (
        f"waits until {many_are(len(pods), 'old Pod')} gone{also}; "
        "then the new ones are created (strategy Recreate)"
    )


def _creating(at: Numbers, found: Revisions, old: int, *, refused: bool) -> str:
    """Return what the creation of Pods waits for, while some are not created yet."""
    noun = "new Pod" if old else "Pod"
    created = f"{part_of(at.updated, at.desired, noun)} created"
    if found.current is None:
        return created
    asked = wanted_pods((found.current,))
    if asked > at.updated:
        rest = "refused" if refused else "on the way"
        return f"{created}, {asked - at.updated} {rest}"
    if not old or at.created < at.desired + at.surge:
        return f"{created}; the next comes as soon as the controller gets to it"
    if wanted_pods(found.outdated()) < old:
        return f"{created}; the next is created when an old Pod is deleted"
    if at.available > at.minimum:
        return f"{created}; an old one makes room for the next"
    return f"{created}; the next is created when one more is available ({at.limits})"


def _removing_old(at: Numbers, found: Revisions, old: int) -> str:
    created = f"all {many(at.desired, 'new Pod')} are created"
    if at.desired == 1:
        created = "the new Pod is created"
    if wanted_pods(found.outdated()) < old:
        return f"{created}; {many_are(old, 'old Pod')} being deleted"
    if at.available > at.minimum:
        return f"{created}; {many_are(old, 'old Pod')} left to delete"
    return (
        f"{created}; {many_are(old, 'old Pod')} deleted when one more is available"
        f" ({at.limits})"
    )


def _unseen(deployment: Entry, seen: Inventory) -> str:
    return seen.unseen("apps", "ReplicaSet", deployment.namespace)


def _available(deployment: Entry) -> str:
    seconds = number(deployment.document, "spec", "minReadySeconds")
    return f"ready for {seconds} s (minReadySeconds)" if seconds else "ready"
