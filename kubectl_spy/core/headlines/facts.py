"""What people ask about the status of an object: its counts, words and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import status_conditions
from kubectl_spy.core.wording import one_line

_WIDTH = 60
_COUNTS = {
    "readyReplicas": "ready",
    "numberReady": "ready",
    "updatedReplicas": "updated",
    "updatedNumberScheduled": "updated",
    "replicas": "Pods",
    "currentNumberScheduled": "Pods",
    "terminatingReplicas": "terminating",
    "numberMisscheduled": "misscheduled",
    "active": "active",
    "ready": "ready",
    "succeeded": "succeeded",
    "failed": "failed",
    "currentHealthy": "healthy",
    "disruptionsAllowed": "disruptions allowed",
}
"""Members of a status that count Pods, and the words for them, in order."""
FOLLOWING_COUNTS = frozenset(
    {
        *("availableReplicas", "unavailableReplicas", "fullyLabeledReplicas"),
        *("numberAvailable", "numberUnavailable", "currentReplicas"),
    }
)
"""Members that change when one of the others does."""
COUNTS = frozenset(_COUNTS)
_WANTED = ("ready", "succeeded", "healthy")
"""The counts that are shown with the wanted number."""
_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
"""Reasons of a container that is not started yet. They are no failures."""
_FOLLOWING = frozenset(
    {"Initialized", "ContainersReady", "Ready", "PodReadyToStartContainers"}
)
"""Conditions of a Pod that follow from its containers."""
_BAD_IF_TRUE = (
    *("Failed", "FailureTarget", "Failure", "Pressure", "Unavailable", "Disruption"),
    *("Stalled", "Degraded", "DisruptionTarget", "Unschedulable", "Error"),
)
"""Ends of the types of conditions that are bad when they are true."""


class Facts(NamedTuple):
    """What one version of an object says of itself."""

    counts: Mapping[str, int]
    wanted: int | None
    """How many Pods or containers there should be."""
    words: Mapping[str, str]
    """The phase, and what each container waits for or ended with."""
    conditions: Mapping[str, tuple[str, str]]
    """The status and the reason by type."""


NO_FACTS = Facts({}, None, {}, {})


def facts(kind: str, obj: JSON) -> Facts:
    """Return the facts of *obj*, an object of *kind* with all its fields."""
    conditions = {
        each.type: (each.status, each.reason) for each in status_conditions(obj)
    }
    words = {}
    for name in ("phase", "state", "health"):
        if value := text(obj, "status", name):
            words["phase"] = value
            break
    if text(obj, "metadata", "deletionTimestamp"):
        words["deletion"] = "being deleted"
    if kind == "Pod":
        return _pod(obj, words, conditions)
    status = mapping(obj, "status")
    counts = {
        word: number(status, member)
        for member, word in _COUNTS.items()
        if type(status.get(member)) is int
    }
    if addresses := ", ".join(_addresses(obj)):
        words["address"] = one_line(addresses, _WIDTH)
    return Facts(counts, _wanted(obj), words, conditions)


def changed(before: Facts, after: Facts) -> list[str]:
    """Return a phrase for each fact that differs: words, counts, conditions."""
    return [
        *_words(before.words, after.words),
        *_counts(before, after),
        *_conditions(before.conditions, after.conditions),
    ]


def _words(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in [*after, *(each for each in before if each not in after)]:
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        if name == "phase":
            yield f"{old} → {new}" if old and new else new or f"no longer {old}"
        elif new:
            yield f"{name} {new}" if name == "address" else new
        elif name == "address":
            yield f"no address (was {old})"


def _counts(before: Facts, after: Facts) -> Iterator[str]:
    names = dict.fromkeys([*_COUNTS.values(), *before.counts, *after.counts])
    for name in names:
        old, new = before.counts.get(name, 0), after.counts.get(name, 0)
        if old == new:
            continue
        of = (
            f" of {after.wanted}"
            if name in _WANTED and after.wanted is not None
            else ""
        )
        yield f"{name} {old}→{new}{of}"


def _conditions(
    before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]
) -> Iterator[str]:
    for kind, (status, reason) in after.items():
        if before.get(kind) == (status, reason):
            continue
        bad = _is_bad(kind, status)
        if bad is None:
            yield f"{kind} ?: {reason}" if reason else f"{kind} ?"
        elif bad:
            yield f"✗ {kind}: {reason}" if reason else f"✗ {kind}"
        elif kind not in before or before[kind][0] != status:
            yield f"{kind} ✓" if status == "True" else f"no {kind}"
        elif reason:
            yield f"{kind}: {reason}"


def _is_bad(kind: str, status: str) -> bool | None:
    if status not in ("True", "False"):
        return None
    return (status == "True") == kind.endswith(_BAD_IF_TRUE)


def _wanted(obj: JSON) -> int | None:
    for path in (
        ("spec", "replicas"),
        ("status", "desiredNumberScheduled"),
        ("spec", "completions"),
        ("status", "desiredHealthy"),
    ):
        *above, last = path
        value = mapping(obj, *above).get(last)
        if type(value) is int:
            return value
    return None


def _addresses(obj: JSON) -> Iterator[str]:
    for each in mappings(obj, "status", "loadBalancer", "ingress"):
        yield text(each, "ip") or text(each, "hostname")


def _pod(
    obj: JSON, words: dict[str, str], conditions: Mapping[str, tuple[str, str]]
) -> Facts:
    containers = mappings(obj, "status", "containerStatuses")
    if reason := text(obj, "status", "reason"):
        words["phase"] = f"{words.get('phase', '')} ({reason})".lstrip()
    if node := text(obj, "spec", "nodeName"):
        words["node"] = f"on {node}"
    inits = mappings(obj, "status", "initContainerStatuses")
    for each in [*inits, *containers]:
        if word := _state(each):
            mark = "" if word in _STARTING else "✗ "
            words[f"container {text(each, 'name')}"] = (
                f"{mark}{text(each, 'name')}: {word}"
            )
    counts = {
        "ready": sum(each.get("ready") is True for each in containers),
        "restarts": sum(number(each, "restartCount") for each in [*inits, *containers]),
    }
    own = {
        kind: each
        for kind, each in conditions.items()
        if kind not in _FOLLOWING and not (kind == "PodScheduled" and each[0] == "True")
    }
    return Facts(counts, len(mappings(obj, "spec", "containers")), words, own)


def _state(status: dict[str, JSON]) -> str:
    """Return why a container does not run, or ""."""
    waiting = text(status, "state", "waiting", "reason")
    if waiting:
        return waiting
    ended = mapping(status, "state", "terminated")
    if ended and (code := number(ended, "exitCode")):
        reason = text(ended, "reason")
        return f"{reason}, exit code {code}" if reason else f"exit code {code}"
    return ""
