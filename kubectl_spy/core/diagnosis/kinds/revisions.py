"""The revisions of a Deployment: its ReplicaSets.

https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON

_REVISION = "deployment.kubernetes.io/revision"
_HASH = "pod-template-hash"


class Revisions(NamedTuple):
    """The ReplicaSets of a Deployment, each in its role."""

    current: Entry | None
    """The one with the Pod template of now, or else the newest there is."""
    exact: bool
    """Whether the Pod template of *current* is the Deployment's of now."""
    previous: Entry | None
    older: tuple[Entry, ...]
    """Newest first."""

    def every(self) -> tuple[Entry, ...]:
        """Return all, newest first."""
        known = (self.current, self.previous, *self.older)
        return tuple(each for each in known if each is not None)

    def outdated(self) -> tuple[Entry, ...]:
        """Return those whose Pod template is not the Deployment's, newest first."""
        return self.every()[1:] if self.exact else self.every()


def revisions(deployment: Entry, seen: Inventory) -> Revisions:
    """Return the ReplicaSets of *deployment*.

    The current one has the Deployment's Pod template, but for the label that tells
    ReplicaSets apart: that is how the controller finds it. While it is not made yet,
    the newest of those there are stands in its place, and is not *exact*.
    """
    owned = seen.owned(deployment.uid, "ReplicaSet")
    template = _template(deployment)
    # The oldest, should there be two that are alike: so does the controller.
    current = next((each for each in owned if _template(each) == template), None)
    newest_first = sorted(owned, key=revision, reverse=True)
    exact = current is not None
    if current is None and newest_first:
        current = newest_first[0]
    rest = [each for each in newest_first if each is not current]
    previous = rest.pop(0) if rest else None
    return Revisions(current, exact, previous, tuple(rest))


def revision(entry: Entry) -> int:
    """Return the number of the revision that the object is of; 0 if it has none."""
    found = text(mapping(entry.document, "metadata", "annotations"), _REVISION)
    return int(found) if found.isascii() and found.isdigit() and len(found) < 19 else 0


def wanted_pods(replica_sets: tuple[Entry, ...]) -> int:
    """Return how many Pods the ReplicaSets are told to have."""
    return sum(number(each.document, "spec", "replicas") for each in replica_sets)


def pods_of(replica_sets: tuple[Entry, ...], seen: Inventory) -> list[Entry]:
    """Return the Pods of the ReplicaSets, those that are ending too."""
    return [pod for each in replica_sets for pod in seen.owned(each.uid, "Pod")]


def _template(entry: Entry) -> JSON:
    template = mapping(entry.document, "spec", "template")
    metadata = mapping(template, "metadata")
    labels = {
        key: value for key, value in mapping(metadata, "labels").items() if key != _HASH
    }
    return {**template, "metadata": {**metadata, "labels": labels}}
