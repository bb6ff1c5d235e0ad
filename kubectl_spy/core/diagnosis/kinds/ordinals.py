"""The places of a StatefulSet: which Pod is which, and what each of them waits for.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending, is_ready
from kubectl_spy.core.fields import mapping, mappings, number, text


class Ordinals(NamedTuple):
    """The Pods of a StatefulSet by ordinal, and which of them there should be."""

    pods: dict[int, Entry]
    """In order."""
    first: int
    desired: int
    partition: int
    """Ordinals from here on get the update; above all of them without one."""
    update_revision: str
    on_delete: bool
    ordered: bool
    """One after the other (OrderedReady), and not all at once (Parallel)."""

    def wanted(self, ordinal: int) -> bool:
        """Tell whether there should be a Pod of that ordinal."""
        return self.first <= ordinal < self.first + self.desired

    def outdated(self, ordinal: int) -> bool:
        """Tell whether the Pod is there, and not of the revision to update to."""
        pod = self.pods.get(ordinal)
        return (
            pod is not None
            and bool(self.update_revision)
            and pod_revision(pod) != self.update_revision
        )

    def kept(self, ordinal: int) -> bool:
        """Tell whether the partition keeps the ordinal from being updated."""
        return ordinal < self.first + self.partition

    def blocking(self) -> int | None:
        """Return the lowest ordinal that has no ready Pod, if there is one."""
        # Pods are a few, whatever number the spec says: the search ends early.
        for ordinal in range(self.first, self.first + self.desired):
            pod = self.pods.get(ordinal)
            if pod is None or not is_ready(pod):
                return ordinal
        return None

    def next_update(self) -> int | None:
        """Return the ordinal that is updated next: the highest that is not yet."""
        due = [
            ordinal
            for ordinal, pod in self.pods.items()
            if self.wanted(ordinal)
            and self.outdated(ordinal)
            and not self.kept(ordinal)
            and not is_ending(pod)
        ]
        return max(due, default=None)


def ordinals(stateful_set: Entry, seen: Inventory) -> Ordinals:
    """Return the Pods of *stateful_set* by their ordinals."""
    document = stateful_set.document
    found = {
        ordinal: pod
        for pod in seen.owned(stateful_set.uid, "Pod")
        if (ordinal := _ordinal(pod.name, stateful_set.name)) is not None
    }
    strategy = mapping(document, "spec", "updateStrategy")
    return Ordinals(
        pods=dict(sorted(found.items())),
        first=max(number(document, "spec", "ordinals", "start"), 0),
        desired=max(number(document, "spec", "replicas", default=1), 0),
        partition=number(strategy, "rollingUpdate", "partition"),
        update_revision=text(document, "status", "updateRevision"),
        on_delete=text(strategy, "type") == "OnDelete",
        ordered=text(document, "spec", "podManagementPolicy") != "Parallel",
    )


def claim_names(stateful_set: Entry, ordinal: int) -> list[str]:
    """Return the names of the PersistentVolumeClaims of the Pod of that ordinal."""
    templates = mappings(stateful_set.document, "spec", "volumeClaimTemplates")
    return [
        f"{name}-{stateful_set.name}-{ordinal}"
        for template in templates
        if (name := text(template, "metadata", "name"))
    ]


def pod_revision(pod: Entry) -> str:
    """Return the name of the ControllerRevision that the Pod was made from."""
    return text(mapping(pod.document, "metadata", "labels"), "controller-revision-hash")


def _ordinal(name: str, of: str) -> int | None:
    found = re.fullmatch(r"-([0-9]{1,10})", name[len(of) :])
    return int(found[1]) if found and name.startswith(of) else None
