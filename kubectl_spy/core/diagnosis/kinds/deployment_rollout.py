"""The revisions of a Deployment, and what its rollout waits for, in one line.

The controller has at most replicas + maxSurge Pods, and keeps replicas - maxUnavailable
of them available.
https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.replica_set import replica_failure
from kubectl_spy.core.diagnosis.kinds.workloads import int_or_percent, ready_seconds
from kubectl_spy.core.fields import condition, mapping, number, text
from kubectl_spy.core.objects import JSON

EXCEEDED = "ProgressDeadlineExceeded"  # a reason of the condition Progressing
_REVISION = "deployment.kubernetes.io/revision"
_HASH = "pod-template-hash"


class Revisions(NamedTuple):
    """The ReplicaSets of a Deployment, by role."""

    current: Entry | None  # has the Pod template of the Deployment, or is the newest
    exact: bool  # whether *current* has the Pod template of the Deployment
    previous: Entry | None
    older: tuple[Entry, ...]  # newest first

    def every(self) -> tuple[Entry, ...]:
        """Return all ReplicaSets, newest first."""
        known = (self.current, self.previous, *self.older)
        return tuple(each for each in known if each is not None)

    def outdated(self) -> tuple[Entry, ...]:
        """Return those with another Pod template, newest first."""
        return self.every()[1:] if self.exact else self.every()


def revisions(deployment: Entry, inventory: Inventory) -> Revisions:
    """Return the ReplicaSets of *deployment* by role.

    Like the controller, find the current one by its Pod template, without the label
    pod-template-hash. Until it exists, the newest takes its place.
    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment
    """
    owned = inventory.owned(deployment.uid, "ReplicaSet")
    template = pod_template(deployment)
    # Of two with the same template, the controller takes the oldest.
    current = next((each for each in owned if pod_template(each) == template), None)
    newest_first = sorted(owned, key=revision, reverse=True)
    exact = current is not None
    if current is None and newest_first:
        current = newest_first[0]
    rest = [each for each in newest_first if each is not current]
    previous = rest.pop(0) if rest else None
    return Revisions(current, exact, previous, tuple(rest))


def revision(entry: Entry) -> int:
    """Return the revision number of the object; 0 if it has none."""
    found = text(mapping(entry.document, "metadata", "annotations"), _REVISION)
    return int(found) if found.isascii() and found.isdigit() and len(found) < 19 else 0


def _wanted_pods(replica_sets: tuple[Entry, ...]) -> int:
    return sum(number(each.document, "spec", "replicas") for each in replica_sets)


def pods_of(replica_sets: tuple[Entry, ...], inventory: Inventory) -> list[Entry]:
    """Return the Pods of the ReplicaSets, also terminating ones."""
    return [pod for each in replica_sets for pod in inventory.owned(each.uid, "Pod")]


def pod_template(entry: Entry) -> JSON:
    """Return the Pod template of an object without the label pod-template-hash."""
    template = mapping(entry.document, "spec", "template")
    metadata = mapping(template, "metadata")
    labels = {
        key: value for key, value in mapping(metadata, "labels").items() if key != _HASH
    }
    return {**template, "metadata": {**metadata, "labels": labels}}


class Numbers(NamedTuple):
    """Pods of a Deployment, as its status counts them, and its limits."""

    desired: int
    created: int  # of all revisions, without those that are terminating
    updated: int
    available: int
    ending: int
    surge: int
    unavailable: int  # maxUnavailable, as a number
    recreate: bool  # all old Pods end before the controller creates a new one

    @property
    def minimum(self) -> int:
        """The number of Pods that must be available."""
        return max(self.desired - self.unavailable, 0)


def numbers(deployment: Entry) -> Numbers:
    """Return the numbers of *deployment*, with percentages resolved."""
    document = deployment.document
    desired = number(document, "spec", "replicas", default=1)
    recreate = text(document, "spec", "strategy", "type") == "Recreate"
    limits = mapping(document, "spec", "strategy", "rollingUpdate")
    surge = int_or_percent(limits, "maxSurge", of=desired, up=True)
    unavailable = int_or_percent(limits, "maxUnavailable", of=desired, up=False)
    if recreate:
        surge = unavailable = 0  # as the controller counts
    elif surge == 0 and not unavailable:
        unavailable = 1  # otherwise no Pod could ever be replaced
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
    """Tell whether the rollout cannot continue, or exceeds its deadline.

    `kubectl rollout status` looks at the reason only.
    """
    progressing = condition(deployment.document, "Progressing")
    exceeded = progressing.get("reason") == EXCEEDED
    return exceeded or progressing.get("status") == "False"


def next_step(
    deployment: Entry, at: Numbers, found: Revisions, inventory: Inventory
) -> Fact | None:
    """Return the next step and what it waits for; None if nothing is left to do."""
    old = max(at.created - at.updated, 0)
    if at.recreate and (recreating := _recreating(at, found, inventory)):
        return recreating
    unseen = inventory.unseen("apps", "ReplicaSet", deployment.namespace, owned=True)
    if at.desired and not (found.exact or at.updated or unseen):
        return fact("ReplicaSetAwaited")
    if at.updated < at.desired:
        refused = replica_failure(deployment) is not None or (
            found.current is not None
            and refused_creation(found.current, inventory, "Pods") is not None
        )
        return _creating(at, found, old, refused=refused)
    if old:
        return _removing_old(at, found, old)
    if at.updated > at.desired:
        return fact("PodsTooMany", pods=at.updated - at.desired)
    if at.available < at.desired:
        missing, seconds = at.desired - at.available, ready_seconds(deployment)
        return fact("PodsAwaited", pods=missing, seconds=seconds)
    return fact("PodsEnding", pods=at.ending) if at.ending else None


def _recreating(at: Numbers, found: Revisions, inventory: Inventory) -> Fact | None:
    pods = pods_of(found.outdated(), inventory)
    if not pods or at.updated:
        return None
    ending = sum(map(is_ending, pods))
    return fact("OldPodsFirst", pods=len(pods), ending=ending or None)


def _creating(at: Numbers, found: Revisions, old: int, *, refused: bool) -> Fact:
    created = fact(
        "PodsCreating", updated=at.updated, desired=at.desired, old=bool(old)
    )
    if found.current is None:
        return created
    asked = _wanted_pods((found.current,))
    if asked > at.updated:
        rest = {"refused" if refused else "coming": asked - at.updated}
    elif not old or at.created < at.desired + at.surge:
        rest = {"soon": True}
    else:
        rest = _room(at, found, old)
    return created._replace(args={**created.args, **rest})


def _removing_old(at: Numbers, found: Revisions, old: int) -> Fact:
    one, rest = at.desired == 1, _room(at, found, old)
    return fact("OldPodsLeft", desired=at.desired, one=one, old=old, **rest)


def _room(at: Numbers, found: Revisions, old: int) -> dict[str, int]:
    """Return what makes room for the next Pod, as arguments."""
    if _wanted_pods(found.outdated()) < old:
        return {"deleting": True}
    if at.available > at.minimum:
        return {"room": True}
    return {"surge": at.surge, "unavailable": at.unavailable}
