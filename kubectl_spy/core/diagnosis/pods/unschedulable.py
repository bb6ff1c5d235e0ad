"""Explains the scheduler's message for a Pod that fits no node."""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.pods import placement, volume_nodes
from kubectl_spy.core.diagnosis.pods.placement import (
    CORDONED,
    UNINITIALIZED,
    is_trouble,
)
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.remedy import Remedy, advice, kubectl

_UNAVAILABLE = re.compile(r"^0/(?P<nodes>\d+) nodes are available: (?P<why>.*)$", re.S)
_AFTERWARDS = re.compile(r"\. .*$|[.,]?\s*\bpreemption: .*$", re.S)
"""What the scheduler tried after it found no node. It is no reason.

The message is `0/2 nodes are available: REASONS. AFTERWARDS`. The latter is
`no new claims to deallocate, preemption: …`, or `not found` if no node was looked at.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/scheduler/framework/types.go
"""
_NEXT = re.compile(r", (?=\d+ )")
_COUNTED = re.compile(r"^(?P<nodes>\d+) (?:node\(s\) )?(?P<why>.+)$", re.S)
_TAINT = re.compile(r"\btaint (?P<taint>\{(?P<key>[^:}\s]+)[^}]*\})")
_DEVICE_CLASS = re.compile(r"\bdevice class (?P<name>\S+) does not exist$")
_INSUFFICIENT = "Insufficient "
_NO_LABEL = "(missing required label)"
_SHOWN = 3  # the most taints and nodes to name

_OF_VOLUMES = (  # parts of reasons: a volume does not fit a node
    "volume node affinity",
    "PersistentVolume's node affinity",
    "persistent volumes to bind",
)
_REMEDIES = (
    ("Too many pods", "add nodes, or let some Pods go"),
    ("anti-affinity", "relax podAntiAffinity, or add nodes"),
    ("pod affinity", "relax podAffinity, or run what it wants to be near to"),
    ("free ports", "do without hostPort, or add nodes"),
    ("non-existent p", "the PersistentVolume of the claim is gone: restore it"),
    ("PersistentVolumeClaim with ReadWriteOncePod", "wait for the Pod that uses it"),
    ("ersistentVolumeClaim", "look at the Pod's PersistentVolumeClaims"),
    ("volume node affinity", "the volume is in another zone: add a node there"),
    (
        "PersistentVolume's node affinity",
        "the volume is bound to other nodes: look at spec.nodeAffinity of its"
        " PersistentVolume",
    ),
    ("persistent volumes to bind", "add a PersistentVolume that fits the claim"),
    ("available volume zone", "the volume is in another zone: add a node there"),
    ("enough free storage", "ask for less storage, or add some"),
    ("max volume count", "add nodes, or let Pods with volumes go"),
    ("allocate all claims", "look at ResourceSlices: kubectl get resourceslices"),
    ("resourceclaim not available", "its device is on another node"),
)
"""Remedies by a part of the reason. The reasons of all plugins:
https://github.com/kubernetes/kubernetes/tree/v1.36.2/pkg/scheduler/framework/plugins"""


class _Reason(NamedTuple):
    nodes: int  # the number of nodes, or 0 for a reason of the Pod itself
    why: str


def reason_of(pod: SeenPod, message: str) -> Fact:
    """Return what *message* says, with numbers from the Pod and the nodes, if known."""
    message = brief(message)
    found = _UNAVAILABLE.match(message)
    if found is None:
        return fact("Unschedulable", message=message_line(message))
    nodes = int(found["nodes"][:9])
    if not nodes:
        return fact("NoNodes")
    reasons = _reasons(message)
    only = nodes == 1
    parts = tuple(_part(pod, each, only) for each in reasons)
    if reasons and not any(each.nodes for each in reasons):
        return fact("Unschedulable", own=parts)
    return fact("Unschedulable", only=only, nodes=nodes, reasons=parts)


def remedy(pod: SeenPod, message: str) -> Remedy:
    """Return a remedy for each reason, the reason of most nodes first."""
    reasons = _reasons(brief(message))
    reasons.sort(key=lambda reason: reason.nodes, reverse=True)
    helps = list(
        dict.fromkeys(each for reason in reasons for each in _against(pod, reason.why))
    )
    if len(helps) < 2:
        return helps[0] if helps else pod.describe()
    template = "one of these: " + "; ".join(["{}"] * len(helps))
    return advice(template, *helps)


def _reasons(message: str) -> list[_Reason]:
    found = _UNAVAILABLE.match(message)
    if found is None:
        return []
    reasons = []
    for each in _NEXT.split(_AFTERWARDS.sub("", found["why"])):
        reason = each.strip(" .\n")
        counted = _COUNTED.match(reason)
        if counted:
            reasons.append(_Reason(int(counted["nodes"][:9]), counted["why"]))
        elif reason:
            reasons.append(_Reason(0, reason.removeprefix("node(s) ")))
    return reasons


def _part(pod: SeenPod, reason: _Reason, only: bool) -> Fact:
    why, taints = reason.why, tuple[str, ...]()
    if re.match(r"[A-Z][a-z]", why):
        why = why[0].lower() + why[1:]
    if _NO_LABEL in why and (keys := placement.spread_keys(pod, missing=True)):
        why = why.replace(_NO_LABEL, f"{_NO_LABEL[:-1]} {' or '.join(keys)})")
    elif "taint" in why and not _TAINT.search(why):
        # Since 1.36 the message does not name the taint.
        every = dict.fromkeys(each.text for each in placement.untolerated(pod))
        taints = tuple(every)[:_SHOWN]
    room, tied = _room(pod, reason.why), _ties(pod, reason)
    return fact(
        "NodesRefuse",
        why=message_line(why),
        taints=taints,
        nodes=None if only or not reason.nodes else reason.nodes,
        notes=(room, *tied) if room else tied,
    )


def _ties(pod: SeenPod, reason: _Reason) -> tuple[Fact, ...]:
    if not any(mark in reason.why for mark in _OF_VOLUMES):
        return ()
    return tuple(each.fact for each in volume_nodes.ties(pod))


def _room(pod: SeenPod, why: str) -> Fact | None:
    if not why.startswith(_INSUFFICIENT):
        return None
    room = placement.room(pod, why.removeprefix(_INSUFFICIENT))
    if room is None:
        return None
    if not room.offered:
        return fact("ResourceNotOffered", asked=room.asked)
    if not room.within_reach:
        return fact("ResourceOutOfReach", asked=room.asked)
    if not room.enough:
        return fact("RequestTooLarge", asked=room.asked, has=room.has, left=room.left)
    if room.left:
        return fact("RequestFits", asked=room.asked)
    return fact("RequestTaken", asked=room.asked, has=room.has)


def _against(pod: SeenPod, why: str) -> list[Remedy]:
    if "taint" in why:
        return _taints(pod, why)
    ties = volume_nodes.ties(pod)
    if "unschedulable" in why:
        cordoned = placement.cordoned(pod)
        usable = [it for it in cordoned if all(it in each.nodes for each in ties)]
        return [_uncordon(usable)] if usable or not ties else []
    if ties and any(mark in why for mark in _OF_VOLUMES):
        return [each.remedy for each in ties if each.remedy]
    if "topology spread" in why:
        return [_spread(pod, why)]
    if why.startswith(_INSUFFICIENT):
        return _more(pod, why.removeprefix(_INSUFFICIENT))
    if found := _DEVICE_CLASS.search(why):
        return [
            advice(
                "create DeviceClass {}, or ask for one that exists: {}",
                found["name"],
                kubectl("get deviceclass"),
            )
        ]
    for mark, template in _REMEDIES:
        if mark in why:
            return [advice(template)]
    if "affinity/selector" in why or "node selector" in why:
        return [_selector(pod)]
    return []


def _more(pod: SeenPod, resource: str) -> list[Remedy]:
    """Return where to get more of *resource* from.

    If only tainted or cordoned nodes offer it, another reason has the remedy.
    https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/
    """
    room = placement.room(pod, resource)
    if room is not None and room.offered and not room.within_reach:
        return []
    if room is None or room.offered:
        return [advice("lower resources.requests of the Pod, or add nodes")]
    template = "add nodes that offer {}"
    if "/" in resource:
        template += ", or see whether its device plugin runs"
    return [advice(template, resource)]


def _taints(pod: SeenPod, why: str) -> list[Remedy]:
    """Return remedies for taints. A taint that means trouble has its own remedy.

    A reason without the name of a taint may be about several.
    """
    nodes: dict[str, list[str]] = {}
    for each in placement.untolerated(pod):
        nodes.setdefault(each.key, []).append(each.node)
    named = _TAINT.search(why)
    keys = [named["key"]] if named else sorted(nodes, key=lambda key: -len(nodes[key]))
    return [_taint(key, nodes.get(key, [])) for key in keys or [""]]


def _taint(key: str, nodes: list[str]) -> Remedy:
    if key == CORDONED:
        return _uncordon(nodes)
    if not is_trouble(key):
        return advice("tolerate the taint, or remove it from nodes")
    if key == UNINITIALIZED:
        return advice("look at the cloud-controller-manager: it has not seen the node")
    look = kubectl("describe node {}", nodes[0]) if nodes else kubectl("get nodes")
    return advice("mend the node, see what is wrong with it: {}", look)


def _uncordon(nodes: list[str]) -> Remedy:
    return (
        kubectl("uncordon {}", nodes[0]) if nodes else advice("kubectl uncordon a node")
    )


def _spread(pod: SeenPod, why: str) -> Remedy:
    missing = _NO_LABEL in why
    keys = placement.spread_keys(pod, missing=missing)
    if missing and keys:
        return advice("label the nodes with {}, or correct topologyKey", keys[0])
    return advice("relax topologySpreadConstraints, or add nodes")


def _selector(pod: SeenPod) -> Remedy:
    selector = mapping(pod.document, "spec", "nodeSelector")
    labels = [f"{key}={text(selector, key)}" for key in selector]
    if not labels:
        return advice(
            "compare spec.affinity.nodeAffinity with kubectl get nodes --show-labels"
        )
    return advice(
        "label a node, or correct nodeSelector: kubectl get nodes -l {}",
        ",".join(labels),
    )
