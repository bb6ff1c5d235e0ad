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


class Phrase(NamedTuple):
    """A part of a headline, as it is printed."""

    text: str
    fails: bool = False  # whether it tells a failure
    counted: tuple[str, int | None, int] | None = None
    """What it counts, the number before (None if it was not known), and after."""


class Facts(NamedTuple):
    """The facts of one version of an object."""

    counts: dict[str, int]
    """What is counted. A count that is not known is absent."""
    wanted: dict[str, int]
    """The desired number of what is counted."""
    words: dict[str, Phrase]
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
    words = {
        name: Phrase(value) for name in _STATES if (value := _plain(status.get(name)))
    }
    if text(obj, "metadata", "deletionTimestamp"):
        words["deletion"] = Phrase("being deleted")
    if kind == "Pod":
        return _pod(mapping(obj, "spec"), status, words, conditions)
    if kind == "Secret" and is_release(obj):
        state = text(obj, "metadata", "labels", "status")
        if state and not state.startswith("*"):  # masked in earlier recordings
            words["release"] = Phrase(f"status {state}")
        return Facts({}, {}, words, conditions)
    counts = dict.fromkeys(COUNTS.values(), 0)  # an absent count is 0
    for member, word in COUNTS.items():
        if member != "replicas" or kind in _WORKLOADS:
            counts[word] = max(counts[word], number(status, member))
    if addresses := ", ".join(_addresses(obj)):
        words["address"] = Phrase(one_line(addresses, _WIDTH))
    return Facts(counts, _wanted(kind, obj), words, conditions)


def is_release(obj: JSON) -> bool:
    """Return whether *obj* is a Secret that holds a release of Helm."""
    return text(obj, "type") == HELM_RELEASE


def changed(before: Facts, after: Facts) -> list[Phrase]:
    """Return a phrase for each fact that differs."""
    phrases: list[Phrase] = []
    if before.words != after.words:
        phrases += _words(before.words, after.words)
    if before.counts != after.counts:
        phrases += _counts(before, after)
    if before.conditions != after.conditions:
        phrases += _conditions(before.conditions, after.conditions)
    return phrases


def _words(before: dict[str, Phrase], after: dict[str, Phrase]) -> Iterator[Phrase]:
    for name in dict.fromkeys([*after, *before]):
        was, now = before.get(name), after.get(name)
        if was == now or (name == "release" and was):
            continue  # a release is told as an edit
        old, new = was.text if was else "", now.text if now else ""
        if name in _STATES:
            moved = f"{old} → {new}" if old and new else new or f"no longer {old}"
            yield Phrase(moved)
        elif name == "address":
            yield Phrase(f"address {new}" if new else f"no address (was {old})")
        elif now:
            yield now


def _counts(before: Facts, after: Facts) -> Iterator[Phrase]:
    moved = {
        name: (before.counts.get(name), new)
        for name, new in after.counts.items()
        if new != before.counts.get(name, 0)
    }
    if moved.get("available") == moved.get("ready"):
        moved.pop("available", None)
    for name, (old, new) in moved.items():
        change = f"{name} {new}" if old is None else f"{name} {old}→{new}"
        wanted = after.wanted.get(name)
        of = "" if wanted is None else f" of {wanted}"
        yield Phrase(change + of, counted=(name, old, new))


def _conditions(
    before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]
) -> Iterator[Phrase]:
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
            yield Phrase(f"✗ {kind}{why}", fails=True)
        elif bad is None:
            yield Phrase(f"{kind}={status}{why}")
        elif turned:
            yield Phrase(f"{kind} ✓" if status == "True" else f"no {kind}")
        elif reason:
            yield Phrase(f"{kind}{why}")
    gone = before.keys() - after.keys() - silent
    yield from (Phrase(f"no longer {kind}") for kind in before if kind in gone)


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
    words: dict[str, Phrase],
    conditions: dict[str, tuple[str, str]],
) -> Facts:
    if reason := _plain(status.get("reason")):
        phase = _plain(status.get("phase"))
        words["phase"] = Phrase(f"{phase} ({reason})".lstrip())
    if node := _plain(spec.get("nodeName")):
        words["node"] = Phrase(f"on {node}")
    containers = mappings(status, "containerStatuses")
    first = mappings(status, "initContainerStatuses")
    every = [*first, *containers]
    pending = status.get("phase") == "Pending"
    for each in every:
        name, (fails, word) = _plain(each.get("name")), _state(mapping(each, "state"))
        matters = fails or (pending if first and each in first else word != "running")
        if word and matters:
            said = f"✗ {name}: {word}" if fails else f"{name}: {word}"
            words[f"container {name}"] = Phrase(said, fails)
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


def _state(state: dict[str, JSON]) -> tuple[bool, str]:
    """Return whether a container failed, and its state."""
    if waiting := text(state, "waiting", "reason"):
        return waiting not in _STARTING, waiting
    ended = mapping(state, "terminated")
    if not ended:
        return False, "running" if "running" in state else ""
    reason = text(ended, "reason")
    if code := number(ended, "exitCode"):
        return True, f"{reason}, exit code {code}" if reason else f"exit code {code}"
    return False, reason or "ended"


def _plain(value: JSON) -> str:
    return value if isinstance(value, str) else ""
