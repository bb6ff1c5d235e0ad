"""Nodes that the PersistentVolumes of a Pod are tied to.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.label_selectors import Requirement, meets, requirements
from kubectl_spy.core.diagnosis.kinds.static_volumes import volumes_of
from kubectl_spy.core.diagnosis.pods.placement import Node, nodes_of, tolerations_of
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.pods.volumes import claimed
from kubectl_spy.core.diagnosis.wording import listed
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_HOSTNAME = "kubernetes.io/hostname"
_KNOWN = ("In", "NotIn", "Exists", "DoesNotExist")
_SHOWN = 3
"""Nodes that one line names."""

_Terms = tuple[tuple[Requirement, ...], ...]
"""A node must meet all requirements of one of them."""


class Tie(NamedTuple):
    """Why a PersistentVolume cannot be used on other nodes."""

    text: str
    remedy: Remedy
    """What helps, where none of its nodes takes the Pod."""
    nodes: tuple[str, ...]
    """Those of its nodes that exist."""


def ties(pod: SeenPod) -> list[Tie]:
    """Return to which nodes the Pod's volumes are tied, as far as nodes are known."""
    if not nodes_of(pod.seen):
        return []
    return [
        _tie(pod, volume.name, terms)
        for volume in _volumes(pod)
        if (terms := _terms(volume))
    ]


def _volumes(pod: SeenPod) -> Iterator[Entry]:
    """Yield the volumes of its claims, and one that fits each claim without one."""
    for _, _, claim in claimed(pod):
        if claim is None:
            continue
        name = text(claim.document, "spec", "volumeName")
        name = name or volumes_of(claim, pod.seen).fitting
        if volume := pod.seen.named("", "PersistentVolume", None, name):
            yield volume


def _terms(volume: Entry) -> _Terms:
    """Return what a node must be like; () if any will do, or it cannot be told."""
    required = mapping(volume.document, "spec", "nodeAffinity", "required")
    every = mappings(required, "nodeSelectorTerms")
    terms = tuple(map(requirements, every))
    known = all(each.operator in _KNOWN for term in terms for each in term)
    fields = any(mappings(each, "matchFields") for each in every)
    return terms if all(terms) and known and not fields else ()


def _tie(pod: SeenPod, volume: str, terms: _Terms) -> Tie:
    found = pod.seen.shared(_fitting, terms)
    what = f"PersistentVolume {volume} is tied to"
    if not found:
        return _lost(pod.seen, volume, terms, what)
    tolerations = tolerations_of(pod)
    names = tuple(each.name for each in found)
    what += f" node{'s' if names[1:] else ''} {listed(names, _SHOWN)}"
    if not all(each.refuses(tolerations) for each in found):
        return Tie(what, NO_REMEDY, names)
    what += f", which {'are' if names[1:] else 'is'} cordoned"
    return Tie(what, kubectl("uncordon {}", names[0]), names)


def _lost(seen: Inventory, volume: str, terms: _Terms, what: str) -> Tie:
    """Return the tie of a volume whose nodes do not exist."""
    hosts = _hosts(terms)
    if hosts and not any(seen.named("", "Node", None, each) for each in hosts):
        several = bool(hosts[1:])
        what += f" node{'s' if several else ''} {listed(hosts, _SHOWN)}"
        what += f", which {'do' if several else 'does'} not exist"
        remedy = "bring back node {}, or use another volume than {}"
        return Tie(what, advice(remedy, hosts[0], volume), ())
    wanted = " or ".join(" and ".join(map(str, term)) for term in terms)
    what += f" nodes with {wanted}, and there are none"
    remedy = "add a node with {}, or use another volume than {}"
    return Tie(what, advice(remedy, wanted, volume), ())


def _hosts(terms: _Terms) -> list[str]:
    """Return the nodes that *terms* name; [] if they ask for something else."""
    names: list[str] = []
    for term in terms:
        if [(each.key, each.operator) for each in term] != [(_HOSTNAME, "In")]:
            return []
        names += term[0].values
    return names


def _fitting(seen: Inventory, terms: _Terms) -> tuple[Node, ...]:
    return tuple(
        node
        for node in nodes_of(seen)
        if any(all(meets(each, node.labels) for each in term) for term in terms)
    )
