"""The status of an object in short: its counts, words and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import status_conditions
from kubectl_spy.core.wording import one_line

_WIDTH = 60
COUNTS = {
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
_WANTED = ("ready", "succeeded", "healthy")
"""The counts that are shown with the desired number."""
_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
"""Reasons of a container that has not started yet, and has not failed."""
_FOLLOWING = frozenset(
    {"Initialized", "ContainersReady", "Ready", "PodReadyToStartContainers"}
)
"""Conditions of a Pod that follow from its containers."""
_BAD_IF_TRUE = (
    *("Failed", "FailureTarget", "Failure", "Pressure", "Unavailable", "Disruption"),
    *("Stalled", "Degraded", "DisruptionTarget", "Unschedulable", "Error"),
)
"""Endings of condition types that are bad when they are true."""


class Facts(NamedTuple):
    """The facts of one version of an object."""

    counts: Mapping[str, int]
    wanted: int | None
    """The desired number of Pods or containers."""
    words: Mapping[str, str]
    """The phase, and what each container waits for or ended with."""
    conditions: Mapping[str, tuple[str, str]]
    """Status and reason, by type."""


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
        for member, word in COUNTS.items()
        if type(status.get(member)) is int
    }
    if addresses := ", ".join(_addresses(obj)):
        words["address"] = one_line(addresses, _WIDTH)
    return Facts(counts, _wanted(obj), words, conditions)


def changed(before: Facts, after: Facts) -> list[str]:
    """Return a phrase for each fact that differs."""
    return [
        *_words(before.words, after.words),
        *_counts(before, after),
        *_conditions(before.conditions, after.conditions),
    ]


def _words(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*after, *before]):
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
    names = dict.fromkeys([*COUNTS.values(), *before.counts, *after.counts])
    for name in names:
        old, new = before.counts.get(name, 0), after.counts.get(name, 0)
        if old == new:
            continue
        of_all = name in _WANTED and after.wanted is not None
        yield f"{name} {old}→{new}" + (f" of {after.wanted}" if of_all else "")


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
    for above, member in (
        ("spec", "replicas"),
        ("status", "desiredNumberScheduled"),
        ("spec", "completions"),
        ("status", "desiredHealthy"),
    ):
        if type(value := mapping(obj, above).get(member)) is int:
            return value
    return None


def _addresses(obj: JSON) -> Iterator[str]:
    for each in mappings(obj, "status", "loadBalancer", "ingress"):
        yield text(each, "ip") or text(each, "hostname")


def _pod(
    obj: JSON, words: dict[str, str], conditions: Mapping[str, tuple[str, str]]
) -> Facts:
    if reason := text(obj, "status", "reason"):
        words["phase"] = f"{words.get('phase', '')} ({reason})".lstrip()
    if node := text(obj, "spec", "nodeName"):
        words["node"] = f"on {node}"
    containers = mappings(obj, "status", "containerStatuses")
    every = [*mappings(obj, "status", "initContainerStatuses"), *containers]
    for each in every:
        if word := _state(each):
            name, mark = text(each, "name"), "" if word in _STARTING else "✗ "
            words[f"container {name}"] = f"{mark}{name}: {word}"
    counts = {
        "ready": sum(each.get("ready") is True for each in containers),
        "restarts": sum(number(each, "restartCount") for each in every),
    }
    own = {
        kind: each
        for kind, each in conditions.items()
        if kind not in _FOLLOWING and not (kind == "PodScheduled" and each[0] == "True")
    }
    return Facts(counts, len(mappings(obj, "spec", "containers")), words, own)


def _state(status: dict[str, JSON]) -> str:
    """Return why a container does not run, or ""."""
    if waiting := text(status, "state", "waiting", "reason"):
        return waiting
    ended = mapping(status, "state", "terminated")
    if ended and (code := number(ended, "exitCode")):
        reason = text(ended, "reason")
        return f"{reason}, exit code {code}" if reason else f"exit code {code}"
    return ""
