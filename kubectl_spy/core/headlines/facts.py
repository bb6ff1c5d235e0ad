"""The status of an object in short: its counts, words and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.masking import HELM_RELEASE
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.polarity import is_bad
from kubectl_spy.core.wording import one_line

_WIDTH = 60
_STATES = ("phase", "state", "health")
COUNTS = {
    "readyReplicas": "ready",
    "numberReady": "ready",
    "availableReplicas": "available",
    "numberAvailable": "available",
    "updatedReplicas": "updated",
    "updatedNumberScheduled": "updated",
    "desiredReplicas": "desired",
    "desiredNumberScheduled": "desired",
    "currentReplicas": "current",
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
_WORKLOADS = frozenset(
    {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"}
)
"""The kinds whose replicas are Pods."""
_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
"""Reasons of a container that has not started yet, and has not failed."""
_FOLLOWING = frozenset({"Initialized", "PodReadyToStartContainers"})
"""Conditions of a Pod that follow from its containers."""


class Facts(NamedTuple):
    """The facts of one version of an object."""

    counts: dict[str, int]
    """What is counted. A count that is not known is absent."""
    wanted: dict[str, int]
    """The desired number of what is counted."""
    words: dict[str, str]
    """Phase, state and health, and what each container waits for or ended with."""
    conditions: dict[str, tuple[str, str]]
    """Status and reason, by type."""


NO_FACTS = Facts({}, {}, {}, {})


def facts(kind: str, obj: JSON) -> Facts:
    """Return the facts of *obj*, an object of *kind* with all its fields."""
    status = mapping(obj, "status")
    conditions: dict[str, tuple[str, str]] = {}
    for each in mappings(status, "conditions"):
        if name := _plain(each.get("type")):
            conditions[name] = _plain(each.get("status")), _plain(each.get("reason"))
    words = {name: value for name in _STATES if (value := _plain(status.get(name)))}
    if text(obj, "metadata", "deletionTimestamp"):
        words["deletion"] = "being deleted"
    if kind == "Pod":
        return _pod(mapping(obj, "spec"), status, words, conditions)
    if kind == "Secret" and is_release(obj):
        state = text(obj, "metadata", "labels", "status")
        if state and not state.startswith("*"):  # masked in earlier recordings
            words["release"] = f"status {state}"
        return Facts({}, {}, words, conditions)
    counts = dict.fromkeys(COUNTS.values(), 0)  # an absent count is 0
    for member, word in COUNTS.items():
        if member != "replicas" or kind in _WORKLOADS:
            counts[word] = max(counts[word], number(status, member))
    if addresses := ", ".join(_addresses(obj)):
        words["address"] = one_line(addresses, _WIDTH)
    return Facts(counts, _wanted(kind, obj), words, conditions)


def is_release(obj: JSON) -> bool:
    """Return whether *obj* is a Secret that holds a release of Helm."""
    return text(obj, "type") == HELM_RELEASE


def changed(before: Facts, after: Facts) -> list[str]:
    """Return a phrase for each fact that differs."""
    phrases: list[str] = []
    if before.words != after.words:
        phrases += _words(before.words, after.words)
    if before.counts != after.counts:
        phrases += _counts(before, after)
    if before.conditions != after.conditions:
        phrases += _conditions(before.conditions, after.conditions)
    return phrases


def _words(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        if name == "release" and old:
            continue  # told as an edit
        if name in _STATES:
            yield f"{old} → {new}" if old and new else new or f"no longer {old}"
        elif new:
            yield f"{name} {new}" if name == "address" else new
        elif name == "address":
            yield f"no address (was {old})"


def count_change(count: str, old: int | None, new: int) -> str:
    """Return the phrase for a count that changed. *old* is None if it was not known.

    >>> count_change("ready", 2, 3), count_change("ready", None, 3)
    ('ready 2→3', 'ready 3')
    """
    return f"{count} {new}" if old is None else f"{count} {old}→{new}"


def _counts(before: Facts, after: Facts) -> Iterator[str]:
    moved = {
        name: (before.counts.get(name), new)
        for name, new in after.counts.items()
        if new != before.counts.get(name, 0)
    }
    if moved.get("available") == moved.get("ready"):
        moved.pop("available", None)
    for name, (old, new) in moved.items():
        wanted = after.wanted.get(name)
        yield count_change(name, old, new) + (
            f" of {wanted}" if wanted is not None else ""
        )


def _conditions(
    before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]
) -> Iterator[str]:
    silent = {"ContainersReady"}
    if all(
        _status(each, "Ready") == _status(each, *silent) for each in (before, after)
    ):
        silent.add("Ready")  # the counts tell it
    for kind, each in after.items():
        if kind in silent or before.get(kind) == each:
            continue
        status, reason = each
        turned = kind not in before or before[kind][0] != status
        why = f": {reason}" if reason else ""
        bad = is_bad(kind, status, reason)
        if bad:
            yield f"✗ {kind}{why}"
        elif bad is None:
            yield f"{kind}={status}{why}"
        elif turned:
            yield f"{kind} ✓" if status == "True" else f"no {kind}"
        elif reason:
            yield f"{kind}{why}"
    gone = before.keys() - after.keys() - silent
    yield from (f"no longer {kind}" for kind in before if kind in gone)


def _status(conditions: dict[str, tuple[str, str]], kind: str) -> str:
    return conditions.get(kind, ("", ""))[0]


def _wanted(kind: str, obj: JSON) -> dict[str, int]:
    counts = {
        "ready": mapping(obj, "spec").get("replicas"),
        "succeeded": mapping(obj, "spec").get("completions"),
        "healthy": mapping(obj, "status").get("desiredHealthy"),
    }
    if kind == "DaemonSet":
        counts["ready"] = mapping(obj, "status").get("desiredNumberScheduled")
    counts["available"] = counts["ready"]
    return {word: value for word, value in counts.items() if type(value) is int}


def _addresses(obj: JSON) -> Iterator[str]:
    for each in mappings(obj, "status", "loadBalancer", "ingress"):
        yield text(each, "ip") or text(each, "hostname")


def _pod(
    spec: dict[str, JSON],
    status: dict[str, JSON],
    words: dict[str, str],
    conditions: dict[str, tuple[str, str]],
) -> Facts:
    if reason := _plain(status.get("reason")):
        words["phase"] = f"{words.get('phase', '')} ({reason})".lstrip()
    if node := _plain(spec.get("nodeName")):
        words["node"] = f"on {node}"
    containers = mappings(status, "containerStatuses")
    first = mappings(status, "initContainerStatuses")
    every = [*first, *containers]
    pending = status.get("phase") == "Pending"
    for each in every:
        name, (mark, word) = _plain(each.get("name")), _state(mapping(each, "state"))
        matters = mark or (pending if first and each in first else word != "running")
        if word and matters:
            words[f"container {name}"] = f"{mark}{name}: {word}"
    counts = {
        "ready": sum([each.get("ready") is True for each in containers]),
        "restarts": sum([number(each, "restartCount") for each in every]),
    }
    if not every:
        counts = {}  # an evicted Pod has no statuses
    own = {
        kind: each
        for kind, each in conditions.items()
        if kind not in _FOLLOWING and not (kind == "PodScheduled" and each[0] == "True")
    }
    return Facts(counts, {"ready": len(mappings(spec, "containers"))}, words, own)


def _state(state: dict[str, JSON]) -> tuple[str, str]:
    """Return the state of a container, after "✗ " if it failed."""
    if waiting := text(state, "waiting", "reason"):
        return "" if waiting in _STARTING else "✗ ", waiting
    ended = mapping(state, "terminated")
    if not ended:
        return "", "running" if "running" in state else ""
    reason = text(ended, "reason")
    if code := number(ended, "exitCode"):
        return "✗ ", f"{reason}, exit code {code}" if reason else f"exit code {code}"
    return "", reason or "ended"


def _plain(value: JSON) -> str:
    return value if isinstance(value, str) else ""
