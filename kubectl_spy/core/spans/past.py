"""What an object tells of its past, which nobody here has seen.

It is what its own times say, and less than what happened: of a Pod that restarted, the
first start is not known any more; a condition tells of its last change only. So a phase
that ends with a condition is told where that must have been its first change, and else
left out: what flapped for two seconds today was not created all day.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.diagnosis.pods.columns import columns
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.spans.states import ObjectState, last_start

_SOON = 10.0
"""Seconds after its creation within which becoming ready is a part of that."""
_WHOLE = 1.0
"""Seconds by which times of whole seconds are rounded."""
_NODE_LOST = 40.0
"""Seconds after which a node that does not report makes its Pods unready: the default
of --node-monitor-grace-period, before v1.32."""
_ONCE = ("Complete", "Failed", "Succeeded")
"""Conditions that come true at the end, once."""
_CONDITIONS = (*_ONCE, "Ready", "Available", "Established")
_FIRST = "deployment.kubernetes.io/revision"


class PastPhase(NamedTuple):
    """A phase that was over before the object was seen; times are the object's."""

    name: str
    start: float
    end: float


def born(document: JSON) -> float | None:
    """Return when the object was created, by its own account."""
    return moment(document, "metadata", "creationTimestamp")


def past_phases(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> list[PastPhase]:
    """Return the phases before the one that the object is in, as far as that is sure.

    Each lasts from the one before until what a condition or a container says.
    """
    if (gvk.group, gvk.kind) == ("", "Pod"):
        found = _pod(document)
    else:
        found = _by_condition(gvk, document, state)
    return [each for each in found if each.start <= each.end]


def settled_since(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> float | None:
    """Return since when an object is as it should be, by its own account.

    It may have been before that, and not in between.
    """
    if not state.settled:
        return None
    if (gvk.group, gvk.kind) == ("", "Pod"):
        return _true_since(document, "Ready")
    times = (_true_since(document, each) for each in _CONDITIONS)
    return next((each for each in times if each is not None), None)


def was_settled(gvk: GroupVersionKind, document: dict[str, JSON]) -> bool:
    """Return whether an object that is not as it should be is sure to have been."""
    if (gvk.group, gvk.kind) == ("apps", "Deployment"):
        return _rolled_out(document) is not None
    if (gvk.group, gvk.kind) != ("", "Pod"):
        return False
    ready, started = condition(document, "Ready"), last_start(document)
    since = moment(ready, "lastTransitionTime")
    if ready.get("status") != "False" or started is None or since is None:
        return False
    return since > started + _WHOLE and not columns(document).restarts


def rolling_out(gvk: GroupVersionKind, document: dict[str, JSON]) -> bool:
    """Return whether a workload is sure to have Pods of another template yet to make.

    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
    """
    status = mapping(document, "status")
    generation = number(document, "metadata", "generation")
    if gvk.group != "apps" or number(status, "observedGeneration") != generation:
        return False
    match gvk.kind:
        case "Deployment":
            progressing = condition(document, "Progressing").get("reason")
            return progressing not in (None, "NewReplicaSetAvailable")
        case "StatefulSet":
            return status.get("updateRevision") != status.get("currentRevision")
        case "DaemonSet":
            updated = number(status, "updatedNumberScheduled")
            return updated < number(status, "desiredNumberScheduled")
    return False


def _true_since(document: dict[str, JSON], name: str) -> float | None:
    found = condition(document, name)
    if found.get("status") != "True":
        return None
    return moment(found, "lastTransitionTime")


def _pod(pod: dict[str, JSON]) -> list[PastPhase]:
    created = born(pod)
    scheduled = _true_since(pod, "PodScheduled")
    if created is None or scheduled is None:
        return []
    found = [PastPhase("Pending", created, scheduled)]
    started = last_start(pod)
    if started is None:
        return found
    if columns(pod).restarts == 0:
        found.append(PastPhase("ContainerCreating", scheduled, started))
    ready = _true_since(pod, "Ready")
    if ready is not None and ready <= started + _unready_at_least(pod, started):
        found.append(PastPhase("NotReady", started, ready))
    return found


def _unready_at_least(pod: dict[str, JSON], started: float) -> float:
    """Return how many seconds after its last start a Pod was ready for the first time,
    if it became ready by then.

    To become unready takes as many probes in a row as are to fail, after the first.
    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Probe
    """
    least = 2 * _WHOLE
    if mappings(pod, "spec", "readinessGates"):
        return least
    starts = {
        text(each, "name"): moment(each, "state", "running", "startedAt")
        for each in mappings(pod, "status", "containerStatuses")
    }
    found: list[float] = []
    for each in mappings(pod, "spec", "containers"):
        own = starts.get(text(each, "name"))
        if "readinessProbe" not in each or own is None:
            continue
        delay = number(each, "readinessProbe", "initialDelaySeconds")
        period = number(each, "readinessProbe", "periodSeconds", default=10)
        failures = number(each, "readinessProbe", "failureThreshold", default=3)
        lost = min(max(failures - 1, 0) * max(period, 0), _NODE_LOST)
        found.append(own - started + max(delay, 0) + lost - _WHOLE)
    return max(min(found, default=least), least)


def _by_condition(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> list[PastPhase]:
    created = born(document)
    if created is None or not state.settled:
        return []
    for name in _CONDITIONS:
        since = _true_since(document, name)
        if since is None:
            continue
        rollout = _rolled_out(document) if gvk.group == "apps" else None
        known = (name in _ONCE and state.final) or rollout is not None
        end = since if rollout is None else rollout
        if known or end - created <= _SOON:
            return [PastPhase(f"Until{name}", created, end)]
        return []
    return []


def _rolled_out(deployment: dict[str, JSON]) -> float | None:
    """Return when a Deployment's Pods were all available for the first time.

    The controller says so once for each template, and the first one is revision 1.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/deployment/progress.go
    """
    told = condition(deployment, "Progressing")
    first = text(deployment, "metadata", "annotations", _FIRST) == "1"
    if not first or told.get("reason") != "NewReplicaSetAvailable":
        return None
    return moment(told, "lastUpdateTime")
