"""What a Pod asks of a node, and what the nodes have: requests, taints, labels.

https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.quantity import UNITS, quantity
from kubectl_spy.core.trace.inventory import Entry
from kubectl_spy.core.trace.pods.seen_pod import SeenPod

_UNITS = ("Ei", "Pi", "Ti", "Gi", "Mi", "", "m")
_HINDERING = ("NoSchedule", "NoExecute")


class Room(NamedTuple):
    """How much of a resource a Pod asks for, and what the roomiest node has."""

    asked: str
    has: str
    """Allocatable; less what the Pods on it asked for, where those are known."""
    left: bool
    """Whether other Pods are subtracted."""
    enough: bool


class Taint(NamedTuple):
    """A taint that a Pod does not tolerate."""

    node: str
    key: str
    text: str


def room(pod: SeenPod, resource: str) -> Room | None:
    """Return what the Pod asks for of *resource*, and what a node has at most.

    None where that cannot be told. Nodes with untolerated taints are ignored, unless
    all nodes have them.
    """
    nodes = _nodes(pod)
    usable = [each for each in nodes if not _untolerated(pod, each)] or nodes
    asked = _requested(pod.document, resource)
    if not usable or not asked:
        return None
    known = not pod.seen.unseen("", "Pod")
    there = pod.seen.every("", "Pod") if known else []
    taken: dict[str, Decimal] = {}
    for each in there:
        if text(each.document, "status", "phase") not in ("Succeeded", "Failed"):
            node = text(each.document, "spec", "nodeName")
            used = taken.get(node, Decimal(0))
            taken[node] = used + _requested(each.document, resource)
    has = max(
        _amount(mapping(each.document, "status", "allocatable").get(resource))
        - taken.get(each.name, Decimal(0))
        for each in usable
    )
    enough = has >= asked
    return Room(*_written(asked, max(has, Decimal(0))), known, enough)


def untolerated(pod: SeenPod) -> list[Taint]:
    """Return the taints of nodes that keep the Pod away, one for each node."""
    found = []
    for node in _nodes(pod):
        for taint in _untolerated(pod, node)[:1]:
            key, value = text(taint, "key"), text(taint, "value")
            told = f"{key}={value}" if value else key
            effect = text(taint, "effect")
            found.append(Taint(node.name, key, f"{told}:{effect}"))
    return found


def cordoned(pod: SeenPod) -> list[str]:
    """Return the names of nodes that are marked unschedulable."""
    return [
        each.name
        for each in _nodes(pod)
        if mapping(each.document, "spec").get("unschedulable") is True
    ]


def spread_keys(pod: SeenPod, *, missing: bool) -> list[str]:
    """Return the labels by which the Pod must be spread over nodes.

    Where they are *missing*, only those that some node lacks, as far as nodes are
    known.
    """
    keys = [
        text(each, "topologyKey")
        for each in mappings(pod.document, "spec", "topologySpreadConstraints")
        if text(each, "whenUnsatisfiable") != "ScheduleAnyway"
    ]
    lacking = [
        key
        for key in keys
        if any(
            key not in mapping(node.document, "metadata", "labels")
            for node in _nodes(pod)
        )
    ]
    return list(dict.fromkeys(lacking if missing and lacking else keys))


def _nodes(pod: SeenPod) -> list[Entry]:
    if pod.seen.unseen("", "Node"):
        return []
    return pod.seen.every("", "Node")


def _untolerated(pod: SeenPod, node: Entry) -> list[dict[str, JSON]]:
    tolerations = mappings(pod.document, "spec", "tolerations")
    return [
        taint
        for taint in mappings(node.document, "spec", "taints")
        if text(taint, "effect") in _HINDERING
        and not any(_tolerates(each, taint) for each in tolerations)
    ]


def _tolerates(toleration: dict[str, JSON], taint: dict[str, JSON]) -> bool:
    """Tell whether a toleration matches a taint.

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#concepts
    """
    key, effect = text(toleration, "key"), text(toleration, "effect")
    if effect not in ("", text(taint, "effect")) or key not in ("", text(taint, "key")):
        return False
    if text(toleration, "operator") == "Exists":
        return True
    return bool(key) and text(toleration, "value") == text(taint, "value")


def _requested(pod: dict[str, JSON], resource: str) -> Decimal:
    """Return how much of *resource* the scheduler counts for the Pod.

    Init containers run one after the other, sidecars beside all that come later.
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
    """Return a quantity as a number; what is none counts as nothing."""
    return quantity(value) or Decimal(0)


def _written(one: Decimal, other: Decimal) -> tuple[str, str]:
    """Return both as people write them, in units that tell them apart.

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
    """Return *amount* in the first of *units* that it is at least one of."""
    unit = next((each for each in units if amount >= UNITS[each]), units[-1])
    return f"{_plain(amount / UNITS[unit])}{unit}" if amount else "0"


def _plain(amount: Decimal) -> str:
    """Return at most two decimals, and no zeros at the end."""
    return f"{amount:.2f}".rstrip("0").rstrip(".")
