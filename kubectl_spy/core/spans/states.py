"""How an object is, by nothing but itself.

A trace looks at all objects together; what it says then depends on which of them came
first. The spans of an object must not: the same versions are the same spans, in
whatever order those of other objects come between.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.diagnosis.pods.columns import columns
from kubectl_spy.core.diagnosis.wording import one_line
from kubectl_spy.core.fields import condition, mappings, moment, text
from kubectl_spy.core.objects import JSON

_BY_OTHERS = frozenset(
    {
        ("", "Service"),
        ("networking.k8s.io", "Ingress"),
    }
)
"""Kinds whose diagnosis is about other objects more than about themselves."""
_ALONE = Inventory()
"""Nobody else. It is only asked, never told anything."""
_SHARED = {("apps", "Deployment"): "condition/Available"}
"""What an object alone cannot tell: too few Pods are available in every rollout."""


class ObjectState(NamedTuple):
    """Where an object stands, in one of its versions."""

    phase: str
    settled: bool
    """Whether it is as it should be, or nothing more will happen to it."""
    error: str = ""
    """What is wrong, or ""."""
    final: bool = False
    since: float | None = None
    """When the phase began, by the object's own account."""


def state_of(entry: Entry) -> ObjectState:
    """Return where the object stands."""
    if (entry.gvk.group, entry.gvk.kind) in _BY_OTHERS:
        found = generic.diagnose(entry, _ALONE)
    else:
        found = diagnose(entry, _ALONE)
    if text(entry.document, "metadata", "deletionTimestamp"):
        return ObjectState("Terminating", settled=False, since=found.since)
    error = _error(entry, found) if found.verdict is Verdict.FAILING else ""
    if (entry.gvk.group, entry.gvk.kind) == ("", "Pod"):
        return _pod(entry.document, found, error)
    settled = found.verdict in (Verdict.OK, Verdict.UNKNOWN) or found.final
    return ObjectState(found.phase, settled, error, found.final, found.since)


def _pod(pod: dict[str, JSON], found: Diagnosis, error: str) -> ObjectState:
    """Return where a Pod stands: on its way from Pending to ready, or back."""
    status = one_line(columns(pod).status, 80)
    ready = found.verdict is Verdict.OK
    since = found.since
    if status == "Pending":
        scheduled = condition(pod, "PodScheduled")
        if scheduled.get("status") == "True":
            status = "ContainerCreating"
    if status == "ContainerCreating":
        since = moment(condition(pod, "PodScheduled"), "lastTransitionTime") or since
    elif status == "Running" and not ready:
        status, since = "NotReady", _unready_since(pod)
    return ObjectState(status, ready or found.final, error, found.final, since)


def _unready_since(pod: dict[str, JSON]) -> float | None:
    """Return since when a running Pod is not ready: it may have been, once started."""
    started, ready = last_start(pod), condition(pod, "Ready")
    lost = moment(ready, "lastTransitionTime")
    if started is None or lost is None or ready.get("status") != "False":
        return started
    return max(started, lost)


def last_start(pod: dict[str, JSON]) -> float | None:
    """Return when the last one of a Pod's running containers started."""
    starts = (
        moment(each, "state", "running", "startedAt")
        for each in mappings(pod, "status", "containerStatuses")
    )
    return max((each for each in starts if each is not None), default=None)


def _error(entry: Entry, found: Diagnosis) -> str:
    wrong = [each for each in found.findings if each.verdict is Verdict.FAILING]
    if not wrong:
        return one_line(found.summary) or found.phase
    shared = _SHARED.get((entry.gvk.group, entry.gvk.kind))
    return next((one_line(each.text) for each in wrong if each.about != shared), "")
