"""Why a Pod is not ready: the shortest true answer, for a line about its Service.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.fields import (
    condition,
    flag,
    mapping,
    mappings,
    moment,
    number,
    text,
)
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.picture import Verdict
from kubectl_spy.core.trace.wording import brief, listed, one_line

_HARMLESS = frozenset({"ContainerCreating", "PodInitializing", ""})
"""Reasons for which a container waits while nothing is wrong."""
_SOURCE = re.compile(r"\b(read|write) (tcp|udp) \S+->")
"""Go's errors name the port a connection came from: another one each time."""


class Readiness(NamedTuple):
    """Whether a Pod is ready (OK), and what keeps it if not."""

    verdict: Verdict
    why: str = ""


STARTING = Readiness(Verdict.WAITING, "starting")


class _Container(NamedTuple):
    pod: Entry
    seen: Inventory
    status: dict[str, JSON]
    spec: dict[str, JSON]
    initial: bool

    @property
    def name(self) -> str:
        return text(self.status, "name")

    @property
    def is_sidecar(self) -> bool:
        return text(self.spec, "restartPolicy") == "Always"


def readiness(pod: Entry, seen: Inventory) -> Readiness:
    """Return whether *pod* is ready, and why not."""
    if is_ready(pod):
        return Readiness(Verdict.OK)
    scheduled = condition(pod.document, "PodScheduled")
    if scheduled.get("status") == "False":
        why = text(scheduled, "message") or text(scheduled, "reason")
        # A node may come.
        return Readiness(Verdict.WAITING, f"not scheduled: {one_line(why)}")
    node = text(pod.document, "spec", "nodeName")
    if node and _is_lost(node, seen):
        return Readiness(Verdict.FAILING, f"its node {one_line(node)} is not ready")
    kept = list(_kept(pod, seen))
    for verdict in (Verdict.FAILING, Verdict.WAITING):
        for each in kept:
            if each.verdict is verdict:
                return each
    return _without_containers(pod)


def is_ready(pod: Entry) -> bool:
    """Whether its condition Ready says so."""
    return condition(pod.document, "Ready").get("status") == "True"


def _without_containers(pod: Entry) -> Readiness:
    """Return why a Pod is not ready whose containers all are, or are not there yet."""
    ready = condition(pod.document, "Ready")
    if not ready or not text(pod.document, "spec", "nodeName"):
        return STARTING
    gates = [
        gate
        for each in mappings(pod.document, "spec", "readinessGates")
        if (gate := text(each, "conditionType"))
        and condition(pod.document, gate).get("status") != "True"
    ]
    if gates:
        s = "" if len(gates) == 1 else "s"
        why = f"waits for readiness gate{s} {listed(gates)}"
    else:
        reason = text(ready, "reason")
        why = f"not ready: {reason}" if reason else "not ready"
    return Readiness(Verdict.WAITING, one_line(why))


def _is_lost(node: str, seen: Inventory) -> bool:
    entry = seen.named("", "Node", None, node)
    if entry is None:
        return False
    return condition(entry.document, "Ready").get("status") in ("False", "Unknown")


def _kept(pod: Entry, seen: Inventory) -> Iterator[Readiness]:
    """Yield what keeps each container that is not ready, the init containers first."""
    for each in _containers(pod, seen):
        if each.initial and _is_past(each):
            continue
        if not each.initial and flag(each.status, "ready") is True:
            continue
        kept = _state(each)
        if kept is not STARTING:
            kind = "init container" if each.initial else "container"
            kept = Readiness(kept.verdict, f"{kind} {one_line(each.name)}: {kept.why}")
        yield kept


def _containers(pod: Entry, seen: Inventory) -> Iterator[_Container]:
    for initial, containers, statuses in (
        (True, "initContainers", "initContainerStatuses"),
        (False, "containers", "containerStatuses"),
    ):
        specs = {
            text(each, "name"): each
            for each in mappings(pod.document, "spec", containers)
        }
        for status in mappings(pod.document, "status", statuses):
            spec = specs.get(text(status, "name"), {})
            yield _Container(pod, seen, status, spec, initial)


def _is_past(container: _Container) -> bool:
    """Whether an init container has done its part.

    A sidecar has when it has started; but while it is not ready, nor is the Pod.
    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
    """
    if container.is_sidecar:
        return flag(container.status, "ready") is True
    ended = mapping(container.status, "state", "terminated")
    return bool(ended) and number(ended, "exitCode", default=1) == 0


def _state(container: _Container) -> Readiness:
    state = mapping(container.status, "state")
    if "waiting" in state:
        reason = text(state, "waiting", "reason")
        if reason in _HARMLESS:
            return STARTING
        return Readiness(Verdict.FAILING, one_line(reason))
    if "terminated" in state:
        code = number(state, "terminated", "exitCode")
        reason = text(state, "terminated", "reason") or "ended"
        return Readiness(Verdict.FAILING, one_line(f"{reason} (exit code {code})"))
    if "running" not in state:
        return STARTING
    if container.initial and not container.is_sidecar:
        return Readiness(Verdict.WAITING, "still runs")
    return _probed(container)


def _probed(container: _Container) -> Readiness:
    """Return which probe a running container does not pass."""
    status, spec = container.status, container.spec
    starting = "startupProbe" in spec and flag(status, "started") is not True
    probe = "startup" if starting else "readiness"
    started = moment(status, "state", "running", "startedAt")
    enough = number(spec, f"{probe}Probe", "failureThreshold", default=3)
    for event in reversed(container.seen.events(container.pod.uid)):
        if event.reason != "Unhealthy" or f"{{{container.name}}}" not in event.field:
            continue
        if not event.message.lower().startswith(probe):
            continue
        if started is not None and event.last is not None and event.last < started:
            break  # it is of the container before this one
        _, _, answer = brief(event.message).partition(": ")
        answer = one_line(_SOURCE.sub(r"\1 \2 ", answer), 120)
        # Some failures belong to every start.
        patient = starting or event.times < enough
        verdict = Verdict.WAITING if patient else Verdict.FAILING
        return Readiness(verdict, f"{probe} probe fails: {answer or 'no answer'}")
    if starting or "readinessProbe" in spec:
        return Readiness(Verdict.WAITING, f"{probe} probe not passed yet")
    return Readiness(Verdict.WAITING, "running, but not ready yet")
