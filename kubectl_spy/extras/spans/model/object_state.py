"""What one version of an object says about its state, now and before.

Only the object itself counts. A trace looks at all objects together, and what it shows
depends on which came first. Spans must not: the same versions give the same spans, in
whatever order those of other objects arrive.

Objects say less about the past than what happened. A condition holds only its last
change, and a Pod that restarted has lost its first start. So a phase that ends with a
condition is reported only if that must have been the condition's first change.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import FINE, Diagnosis, Fact, Verdict, fact
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.diagnosis.pods.columns import columns
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.extras.spans.model.clocks import WHOLE_SECOND

_SETTLED = (*FINE, Verdict.UNKNOWN, Verdict.WARNING)
_ABOUT_OTHERS = frozenset({("", "Service"), ("networking.k8s.io", "Ingress")})
"""Kinds whose diagnosis is mostly about other objects."""
_EMPTY = Inventory()  # it is queried, but never filled
_SHARED = {("apps", "Deployment"): "condition/Available"}
"""Findings that are no errors: in every rollout too few Pods are available."""
_STATUS_LENGTH = 80
_SOON = 10.0
"""Within so many seconds of its creation an object becomes ready only once."""
_NODE_LOST = 40.0
"""Seconds after which the Pods of a silent node turn unready: the default of
--node-monitor-grace-period before v1.32."""
_ONCE = ("Complete", "Failed", "Succeeded")  # conditions that become true at the end
_CONDITIONS = (*_ONCE, "Ready", "Available", "Established")
_REVISION = "deployment.kubernetes.io/revision"


class ObjectState(NamedTuple):
    """The state of one version of an object."""

    phase: str
    settled: bool  # whether it is as its spec asks for, or final
    error: Fact | str = ""
    final: bool = False  # whether nothing more will happen to it
    since: float | None = None  # when the phase began, according to the object


class PastPhase(NamedTuple):
    """A phase that was over in the first version seen, in times of the object."""

    name: str
    start: float
    end: float


def state_of(entry: Entry) -> ObjectState:
    """Return the state of an object."""
    key = entry.gvk.group, entry.gvk.kind
    judge = generic.diagnose if key in _ABOUT_OTHERS else diagnose
    found = judge(entry, _EMPTY)
    if text(entry.document, "metadata", "deletionTimestamp"):
        return ObjectState("Terminating", settled=False, since=found.since)
    error = _error(key, found) if found.verdict is Verdict.FAILING else ""
    if key == ("", "Pod"):
        return _pod_state(entry.document, found, error)
    settled = found.verdict in _SETTLED or found.final
    return ObjectState(found.phase, settled, error, found.final, found.since)


def _error(key: tuple[str, str], found: Diagnosis) -> Fact | str:
    failures = [each for each in found.findings if each.verdict is Verdict.FAILING]
    if not failures:
        return fact("Failed", summary=message_line(found.summary) or found.phase)
    shared = _SHARED.get(key)
    return next((each.fact for each in failures if each.about != shared), "")


def _pod_state(
    pod: dict[str, JSON], found: Diagnosis, error: Fact | str
) -> ObjectState:
    phase, since = message_line(columns(pod).status, _STATUS_LENGTH), found.since
    ready = found.verdict is Verdict.OK
    scheduled = condition(pod, "PodScheduled")
    if phase == "Pending" and scheduled.get("status") == "True":
        phase = "ContainerCreating"
    if phase == "ContainerCreating":
        since = moment(scheduled, "lastTransitionTime") or since
    elif phase == "Running" and not ready:
        phase, since = "NotReady", _unready_since(pod)
    return ObjectState(phase, ready or found.final, error, found.final, since)


def _unready_since(pod: dict[str, JSON]) -> float | None:
    """Return when a running Pod started, or became unready after that."""
    started, ready = _last_start(pod), condition(pod, "Ready")
    lost = moment(ready, "lastTransitionTime")
    if started is None or lost is None or ready.get("status") != "False":
        return started
    return max(started, lost)


def _last_start(pod: dict[str, JSON]) -> float | None:
    starts = (
        moment(each, "state", "running", "startedAt")
        for each in mappings(pod, "status", "containerStatuses")
    )
    return max((each for each in starts if each is not None), default=None)


def creation_time(document: JSON) -> float | None:
    """Return when the object was created, by the cluster's clock."""
    return moment(document, "metadata", "creationTimestamp")


def past_phases(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> list[PastPhase]:
    """Return the certain phases before the current one."""
    if (gvk.group, gvk.kind) == ("", "Pod"):
        found = _past_of_pod(document)
    else:
        found = _past_by_condition(gvk, document, state)
    return [each for each in found if each.start <= each.end]


def settled_since(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> float | None:
    """Return when an object last became settled, by times in the object."""
    if not state.settled:
        return None
    if (gvk.group, gvk.kind) == ("", "Pod"):
        return _true_since(document, "Ready")
    times = (_true_since(document, each) for each in _CONDITIONS)
    return next((each for each in times if each is not None), None)


def was_settled(gvk: GroupVersionKind, document: dict[str, JSON]) -> bool:
    """Return whether an unsettled object certainly was settled before."""
    if (gvk.group, gvk.kind) == ("apps", "Deployment"):
        return _first_rollout_end(document) is not None
    if (gvk.group, gvk.kind) != ("", "Pod"):
        return False
    ready, started = condition(document, "Ready"), _last_start(document)
    since = moment(ready, "lastTransitionTime")
    if ready.get("status") != "False" or started is None or since is None:
        return False
    return since > started + WHOLE_SECOND and not columns(document).restarts


def rolling_out(gvk: GroupVersionKind, document: dict[str, JSON]) -> bool:
    """Return whether a workload certainly has Pods of its template yet to make.

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


def _past_of_pod(pod: dict[str, JSON]) -> list[PastPhase]:
    created = creation_time(pod)
    scheduled = _true_since(pod, "PodScheduled")
    if created is None or scheduled is None:
        return []
    found = [PastPhase("Pending", created, scheduled)]
    started = _last_start(pod)
    if started is None:
        return found
    if columns(pod).restarts == 0:
        found.append(PastPhase("ContainerCreating", scheduled, started))
    ready = _true_since(pod, "Ready")
    if ready is not None and ready <= started + _earliest_second_ready(pod, started):
        found.append(PastPhase("NotReady", started, ready))
    return found


def _earliest_second_ready(pod: dict[str, JSON], started: float) -> float:
    """Return how many seconds after its last start a Pod can be ready again.

    If it became ready before, that was the first time. A ready Pod turns unready after
    failureThreshold consecutive failures of its readiness probe.
    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Probe
    """
    least = 2 * WHOLE_SECOND
    if mappings(pod, "spec", "readinessGates"):
        return least
    starts = {
        text(each, "name"): moment(each, "state", "running", "startedAt")
        for each in mappings(pod, "status", "containerStatuses")
    }
    found: list[float] = []
    for each in mappings(pod, "spec", "containers"):
        start = starts.get(text(each, "name"))
        if "readinessProbe" not in each or start is None:
            continue
        delay = number(each, "readinessProbe", "initialDelaySeconds")
        period = number(each, "readinessProbe", "periodSeconds", default=10)
        failures = number(each, "readinessProbe", "failureThreshold", default=3)
        lost = min(max(failures - 1, 0) * max(period, 0), _NODE_LOST)
        found.append(start - started + max(delay, 0) + lost - WHOLE_SECOND)
    return max(min(found, default=least), least)


def _past_by_condition(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> list[PastPhase]:
    """Return the time until the first condition of `_CONDITIONS` that is true."""
    created = creation_time(document)
    if created is None or not state.settled:
        return []
    times = ((name, _true_since(document, name)) for name in _CONDITIONS)
    for name, since in times:
        if since is None:
            continue
        rollout = _first_rollout_end(document) if gvk.group == "apps" else None
        end = since if rollout is None else rollout
        certain = (name in _ONCE and state.final) or rollout is not None
        if certain or end - created <= _SOON:
            return [PastPhase(f"Until{name}", created, end)]
        return []
    return []


def _first_rollout_end(deployment: dict[str, JSON]) -> float | None:
    """Return when all Pods of a Deployment were available for the first time.

    The controller reports this once for each template. The first is revision 1.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/deployment/progress.go
    """
    progressing = condition(deployment, "Progressing")
    first = text(deployment, "metadata", "annotations", _REVISION) == "1"
    if not first or progressing.get("reason") != "NewReplicaSetAvailable":
        return None
    return moment(progressing, "lastUpdateTime")
