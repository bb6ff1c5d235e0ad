"""Explains why a selector matches no Pod: by a workload, or by a label.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.selectors import matches, unmet
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice, kubectl
from kubectl_spy.core.wording import many

_WORKLOADS = (
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("apps", "ReplicaSet"),
    ("", "ReplicationController"),
)
_VALUES = 6  # the most values of a label to print
_WORD = 6  # the shortest value in which two characters may be typos


class Absence(NamedTuple):
    """The reason why no Pod matches."""

    args: Mapping[str, bool | Fact]
    """Arguments of `SelectorMatchesNothing`: `made`, `differs` or `none`."""
    remedy: Remedy
    idle: bool = False  # whether a workload whose template matches wants no Pods


class _Labelled(NamedTuple):
    """A Pod, or a workload that creates Pods, with their labels."""

    what: Mapping[str, str]  # arguments: `pod`, or `kind` and `name`
    labels: dict[str, str]


def absence(selector: JSON, namespace: str | None, seen: Inventory) -> Absence:
    """Return why no Pod of *namespace* matches a LabelSelector."""
    makers = list(_workloads(namespace, seen))
    fitting = [each for each in makers if matches(selector, dict(_template(each)))]
    if fitting:
        return _unmade(min(fitting, key=_is_idle), namespace)
    pods = seen.every("", "Pod", namespace)
    there = [_Labelled({"pod": each.name}, _strings(each.document)) for each in pods]
    there += [_Labelled(_called(each), _template(each)) for each in makers]
    if not there:
        show = kubectl("get deploy,sts,ds", namespace=namespace)
        return Absence({"none": True}, advice("{} shows what is scaled to 0", show))
    labels = mapping(selector, "matchLabels")
    wanted = {key: each for key, each in labels.items() if isinstance(each, str)}
    remedy = kubectl("get pods --show-labels", namespace=namespace)
    differs = _difference(wanted, there) or _unmet(selector, wanted, there)
    return Absence({"differs": differs}, remedy)


def _workloads(namespace: str | None, seen: Inventory) -> Iterator[Entry]:
    for group, kind in _WORKLOADS:
        for each in seen.every(group, kind, namespace):
            owners = mappings(each.document, "metadata", "ownerReferences")
            if not any(text(owner, "kind") == "Deployment" for owner in owners):
                yield each


def _unmade(workload: Entry, namespace: str | None) -> Absence:
    kind, name = workload.gvk.kind, workload.name

    def made(code: str) -> dict[str, bool | Fact]:
        return {"made": fact(code, kind=kind, name=name)}

    if not _is_idle(workload):
        show = kubectl("spy trace {}/{}", kind.lower(), name, namespace=namespace)
        return Absence(made("PodsComing"), show)
    if kind == "DaemonSet":
        show = kubectl("describe daemonset {}", name, namespace=namespace)
        return Absence(made("PodsOnNoNode"), show, idle=True)
    command = "scale {}/{} --replicas=1"
    scale = kubectl(command, kind.lower(), name, namespace=namespace)
    return Absence(made("ScaledToZero"), scale, idle=True)


def _is_idle(workload: Entry) -> bool:
    if workload.gvk.kind == "DaemonSet":
        wanted = number(workload.document, "status", "desiredNumberScheduled")
    else:
        wanted = number(workload.document, "spec", "replicas", default=1)
    return wanted == 0


def _called(workload: Entry) -> dict[str, str]:
    return {"kind": workload.gvk.kind, "name": workload.name}


def _template(workload: Entry) -> dict[str, str]:
    return _strings(mapping(workload.document, "spec", "template"))


def _strings(document: JSON) -> dict[str, str]:
    labels = mapping(document, "metadata", "labels")
    return {key: each for key, each in labels.items() if isinstance(each, str)}


def _difference(wanted: dict[str, str], there: list[_Labelled]) -> Fact | None:
    """Return which label of the nearest object differs, or else which values exist.

    None means that some have all labels. Then the selector's expressions do not match.
    """
    if any(wanted.items() <= each.labels.items() for each in there):
        return None
    near = [(rank, each) for each in there if (rank := _rank(wanted, each.labels))]
    if near:
        _, nearest = max(near, key=lambda each: each[0])
        off = _off(wanted, nearest.labels)
        return fact("LabelsDiffer", **nearest.what, labels=off)
    values = {
        key: {each.labels[key] for each in there if key in each.labels}
        for key in wanted
    }
    if not any(values.values()):
        return fact("NoSuchLabel", labels=tuple(wanted))
    unlike = [key for key in wanted if values[key] and wanted[key] not in values[key]]
    if not unlike:
        return fact("LabelsApart")
    return fact("LabelValues", labels=tuple(_has(key, values[key]) for key in unlike))


def _unmet(selector: JSON, wanted: dict[str, str], there: list[_Labelled]) -> Fact:
    """Return the expressions that the nearest object with all labels does not meet."""
    off = [
        (each, unmet(selector, dict(each.labels)))
        for each in there
        if wanted.items() <= each.labels.items()
    ]
    nearest, least = min(off, key=lambda each: len(each[1]))
    return fact("ExpressionsUnmet", **nearest.what, unmet=tuple(map(str, least)))


def _has(key: str, values: Iterable[str]) -> Fact:
    *most, last = [each or "empty" for each in sorted(values)]
    if len(most) >= _VALUES:
        most, last = most[:_VALUES], many(len(most) + 1 - _VALUES, "other")
    return fact("LabelHas", key=key, values=tuple(most), last=last)


def _rank(wanted: dict[str, str], labels: dict[str, str]) -> tuple[int, ...]:
    """Return how many labels match, and how many nearly do, or () if one differs."""
    same = near = 0
    for key, value in wanted.items():
        found = labels.get(key)
        if found == value:
            same += 1
        elif is_near(value, found) if found else value in labels.values():
            near += 1
        elif found:
            return ()
    return (same, near) if same or near else ()


def _off(wanted: dict[str, str], labels: dict[str, str]) -> tuple[Fact, ...]:
    off = []
    for key, value in wanted.items():
        others = [each for each in labels if labels[each] == value and value]
        if labels.get(key) == value:
            continue
        if key in labels:
            off.append(fact("LabelIs", key=key, value=labels[key]))
        elif others:
            off.append(fact("LabelAbsent", key=key, other=others[0], value=value))
        else:
            off.append(fact("LabelAbsent", key=key))
    return tuple(off)


def is_near(one: str, other: str) -> bool:
    """Return whether one value may be a typo of the other, or its beginning.

    >>> is_near("web", "wbe"), is_near("frontend", "front"), is_near("web", "sick")
    (True, True, False)
    """
    one, other = one.lower(), other.lower()
    short, long = sorted((one, other), key=len)
    if len(short) > 2 and long.startswith(short):
        return True
    begin = _shared(one, other)
    end = _shared(one[begin:][::-1], other[begin:][::-1])
    rests = [each[begin : len(each) - end] for each in (one, other)]
    if begin + end == 0:
        return False
    swapped = rests[0] == rests[1][::-1] and len(rests[0]) == 2
    return swapped or max(map(len, rests)) <= (1 if len(long) < _WORD else 2)


def _shared(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
