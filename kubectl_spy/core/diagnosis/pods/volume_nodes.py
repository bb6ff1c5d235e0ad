"""Nodes that the PersistentVolumes of a Pod are tied to.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.selectors import Requirement, meets, requirements
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.kinds.static_volumes import volumes_of
from kubectl_spy.core.diagnosis.pods.placement import Node, nodes_of, tolerations_of
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.pods.volumes import claimed
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl

_HOSTNAME = "kubernetes.io/hostname"
_KNOWN = ("In", "NotIn", "Exists", "DoesNotExist")

_Terms = tuple[tuple[Requirement, ...], ...]
"""Alternatives. A node must meet all requirements of one of them."""


class Tie(NamedTuple):
    """The nodes that a PersistentVolume is tied to, and what is wrong with them."""

    fact: Fact
    remedy: Remedy  # what to do if none of its nodes takes the Pod
    nodes: tuple[str, ...]  # the nodes of the volume that exist


def ties(pod: SeenPod) -> list[Tie]:
    """Return the ties of the Pod's volumes to nodes, as far as nodes are known."""
    if not nodes_of(pod.seen):
        return []
    return [
        _tie(pod, volume.name, terms)
        for volume in _volumes(pod)
        if (terms := _terms(volume))
    ]


def _volumes(pod: SeenPod) -> Iterator[Entry]:
    """Yield the volume of each claim, or a free one that fits."""
    for _, _, claim in claimed(pod):
        if claim is None:
            continue
        name = text(claim.document, "spec", "volumeName")
        name = name or volumes_of(claim, pod.seen).fitting
        if volume := pod.seen.named("", "PersistentVolume", None, name):
            yield volume


def _terms(volume: Entry) -> _Terms:
    """Return the requirements on a node, or () if there are none or not known."""
    required = mapping(volume.document, "spec", "nodeAffinity", "required")
    every = mappings(required, "nodeSelectorTerms")
    terms = tuple(map(requirements, every))
    known = all(each.operator in _KNOWN for term in terms for each in term)
    fields = any(mappings(each, "matchFields") for each in every)
    return terms if all(terms) and known and not fields else ()


def _tie(pod: SeenPod, volume: str, terms: _Terms) -> Tie:
    found = pod.seen.shared(_fitting, terms)
    if not found:
        return _lost(pod.seen, volume, terms)
    tolerations = tolerations_of(pod)
    names = tuple(each.name for each in found)
    cordoned = all(each.refuses(tolerations) for each in found)
    problem = fact("VolumeTied", volume=volume, nodes=names, cordoned=cordoned)
    remedy = kubectl("uncordon {}", names[0]) if cordoned else NO_REMEDY
    return Tie(problem, remedy, names)


def _lost(seen: Inventory, volume: str, terms: _Terms) -> Tie:
    hosts = _hosts(terms)
    if hosts and not any(seen.named("", "Node", None, each) for each in hosts):
        problem = fact("VolumeNodesGone", volume=volume, nodes=tuple(hosts))
        remedy = "bring back node {}, or use another volume than {}"
        return Tie(problem, advice(remedy, hosts[0], volume), ())
    wanted = " or ".join(" and ".join(map(str, term)) for term in terms)
    problem = fact("VolumeNodesNone", volume=volume, wanted=wanted)
    remedy = "add a node with {}, or use another volume than {}"
    return Tie(problem, advice(remedy, wanted, volume), ())


def _hosts(terms: _Terms) -> list[str]:
    """Return the nodes that *terms* name, or [] if they ask for more than a name."""
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
