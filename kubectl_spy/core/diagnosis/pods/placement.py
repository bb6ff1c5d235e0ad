"""Compares what a Pod needs with what the nodes have: requests, taints, labels.

https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.kinds.pod_states import has_ended
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.quantities import FACTORS, quantity

# https://kubernetes.io/docs/reference/labels-annotations-taints/
CORDONED = "node.kubernetes.io/unschedulable"
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
"""Set until the cloud-controller-manager has seen the node."""
_TROUBLE = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/out-of-service",
        UNINITIALIZED,
        "node.cloudprovider.kubernetes.io/shutdown",
    }
)


def is_trouble(key: str) -> bool:
    """Return whether the taint *key* means that something is wrong with the node."""
    return key in _TROUBLE


_UNITS = ("Ei", "Pi", "Ti", "Gi", "Mi", "", "m")
_HINDERING = ("NoSchedule", "NoExecute")
_CORDON: dict[str, JSON] = {"key": CORDONED, "effect": "NoSchedule"}


class Room(NamedTuple):
    """How much of a resource a Pod requests, and how much the roomiest node has."""

    asked: str
    has: str  # the allocatable amount, without the requests of known Pods
    left: bool  # whether the requests of other Pods are subtracted
    enough: bool
    offered: bool  # whether any node has some, also a tainted or cordoned one
    within_reach: bool
    """Whether a node has some that is not cordoned, and has no untolerated taint."""


class Taint(NamedTuple):
    """A taint that a Pod does not tolerate."""

    node: str
    key: str
    text: str


class _Toleration(NamedTuple):
    """A toleration of a Pod. Missing members are ""."""

    key: str
    operator: str
    value: str
    effect: str


Tolerations = tuple[_Toleration, ...]


class Node(NamedTuple):
    """The properties of a node that decide whether a Pod fits."""

    name: str
    labels: dict[str, JSON]
    taints: list[dict[str, JSON]]  # the taints that keep Pods away
    cordoned: bool
    allocatable: dict[str, JSON]

    def refuses(self, tolerations: Tolerations) -> bool:
        """Return whether it is cordoned, unless *tolerations* allow that."""
        return self.cordoned and not any(_tolerates(it, _CORDON) for it in tolerations)


def room(pod: SeenPod, resource: str) -> Room | None:
    """Return how much of *resource* the Pod requests, and the most that a node has.

    None means that it is not known. Cordoned nodes and those with untolerated taints
    count only if there are no others.
    """
    asked = _requested(pod.document, resource)
    return pod.seen.shared(_room, (resource, asked, tolerations_of(pod)))


def untolerated(pod: SeenPod) -> tuple[Taint, ...]:
    """Return the taints that keep the Pod away, one for each node not cordoned.

    The scheduler looks at no taints of a cordoned node.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/scheduler/apis/config/v1/default_plugins.go
    """
    return pod.seen.shared(_keeping_away, tolerations_of(pod))


def cordoned(pod: SeenPod) -> list[str]:
    """Return the names of the cordoned nodes."""
    tolerations = tolerations_of(pod)
    return [each.name for each in nodes_of(pod.seen) if each.refuses(tolerations)]


def spread_keys(pod: SeenPod, *, missing: bool) -> list[str]:
    """Return the topology keys by which the Pod must be spread over nodes.

    With *missing* these are only the keys that a known node lacks.
    """
    keys = [
        text(each, "topologyKey")
        for each in mappings(pod.document, "spec", "topologySpreadConstraints")
        if text(each, "whenUnsatisfiable") != "ScheduleAnyway"
    ]
    nodes = nodes_of(pod.seen)
    lacking = [key for key in keys if any(key not in node.labels for node in nodes)]
    return list(dict.fromkeys(lacking if missing and lacking else keys))


# These results are shared by all Pods.


def nodes_of(seen: Inventory) -> tuple[Node, ...]:
    """Return all nodes, or none if they are not listed."""
    return seen.shared(_all_nodes, None)


def _all_nodes(seen: Inventory, _: None) -> tuple[Node, ...]:
    if seen.unseen("", "Node"):
        return ()
    return tuple(
        Node(
            each.name,
            mapping(each.document, "metadata", "labels"),
            [
                taint
                for taint in mappings(each.document, "spec", "taints")
                if text(taint, "effect") in _HINDERING
            ],
            mapping(each.document, "spec").get("unschedulable") is True,
            mapping(each.document, "status", "allocatable"),
        )
        for each in seen.every("", "Node")
    )


def _room(seen: Inventory, asking: tuple[str, Decimal, Tolerations]) -> Room | None:
    resource, asked, tolerations = asking
    nodes = nodes_of(seen)
    tainted = {each.node for each in seen.shared(_keeping_away, tolerations)}
    usable = [
        each
        for each in nodes
        if each.name not in tainted and not each.refuses(tolerations)
    ]
    if not nodes or not asked:
        return None
    taken = seen.shared(_taken, resource)
    has = max(
        _amount(each.allocatable.get(resource))
        - (taken or {}).get(each.name, Decimal(0))
        for each in usable or nodes
    )
    written = _written(asked, max(has, Decimal(0)))
    offered, within_reach = (
        any(_amount(each.allocatable.get(resource)) for each in among)
        for among in (nodes, usable)
    )
    return Room(*written, taken is not None, has >= asked, offered, within_reach)


def _taken(seen: Inventory, resource: str) -> dict[str, Decimal] | None:
    """Return how much of *resource* the Pods on each node request, if known."""
    if seen.unseen("", "Pod"):
        return None
    taken: dict[str, Decimal] = {}
    for each in seen.every("", "Pod"):
        node = text(each.document, "spec", "nodeName")
        if node and not has_ended(each):
            used = taken.get(node, Decimal(0))
            taken[node] = used + _requested(each.document, resource)
    return taken


def _keeping_away(seen: Inventory, tolerations: Tolerations) -> tuple[Taint, ...]:
    found = []
    for node in nodes_of(seen):
        for taint in () if node.refuses(tolerations) else node.taints:
            if any(_tolerates(each, taint) for each in tolerations):
                continue
            key, value = text(taint, "key"), text(taint, "value")
            pair = f"{key}={value}" if value else key
            found.append(Taint(node.name, key, f"{pair}:{text(taint, 'effect')}"))
            break
    return tuple(found)


def tolerations_of(pod: SeenPod) -> Tolerations:
    """Return the tolerations of the Pod."""
    return tuple(
        _Toleration(*(text(each, member) for member in _Toleration._fields))
        for each in mappings(pod.document, "spec", "tolerations")
    )


def _tolerates(toleration: _Toleration, taint: dict[str, JSON]) -> bool:
    """Return whether a toleration matches a taint.

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#concepts
    """
    key, effect = toleration.key, toleration.effect
    if effect not in ("", text(taint, "effect")) or key not in ("", text(taint, "key")):
        return False
    if toleration.operator == "Exists":
        return True
    return bool(key) and toleration.value == text(taint, "value")


def _requested(pod: dict[str, JSON], resource: str) -> Decimal:
    """Return how much of *resource* the scheduler counts for the Pod.

    Init containers run one after another. Sidecars run on beside the later ones.
    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    """
    spec = mapping(pod, "spec")
    overhead = _amount(mapping(spec, "overhead").get(resource))
    whole = mapping(spec, "resources", "requests").get(resource)
    if whole is not None:
        return overhead + _amount(whole)
    beside = most = Decimal(0)
    for each in mappings(spec, "initContainers"):
        asked = _request(each, resource)
        if text(each, "restartPolicy") == "Always":
            beside += asked
            most = max(most, beside)
        else:
            most = max(most, beside + asked)
    containers = mappings(spec, "containers")
    together = beside + sum(_request(each, resource) for each in containers)
    return overhead + max(most, together)


def _request(container: dict[str, JSON], resource: str) -> Decimal:
    return _amount(mapping(container, "resources", "requests").get(resource))


def _amount(value: JSON) -> Decimal:
    return quantity(value) or Decimal(0)


def _written(one: Decimal, other: Decimal) -> tuple[str, str]:
    """Return both numbers for people, in units in which they differ.

    >>> _written(Decimal("0.001"), Decimal("1.5"))
    ('1m', '1.5')
    >>> _written(Decimal(2**32), Decimal(2**32 - 2**20))
    ('4096Mi', '4095Mi')
    """
    for place in range(len(_UNITS)):
        written = _in_units(one, _UNITS[place:]), _in_units(other, _UNITS[place:])
        if one == other or written[0] != written[1]:
            break
    return written


def _in_units(amount: Decimal, units: tuple[str, ...]) -> str:
    """Return *amount* in the first of *units* that is not larger, with two decimals."""
    unit = next((each for each in units if amount >= FACTORS[each]), units[-1])
    plain = f"{amount / FACTORS[unit]:.2f}".rstrip("0").rstrip(".")
    return f"{plain}{unit}" if amount else "0"
