"""The cells of Pods, and of what runs, scales and protects them."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.pods.columns import Columns, columns
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables.cells import (
    NONE,
    UNKNOWN,
    Object,
    human_duration,
    is_deleted,
)

_TERMINATING = "Terminating"
_JOB_STATES = (
    "Complete",
    "Failed",
    _TERMINATING,
    "Suspended",
    "FailureTarget",
    "SuccessCriteriaMet",
)


class _Rows:
    """Remembers the columns of the last Pod: three cells need them."""

    def __init__(self) -> None:
        self._last: tuple[Object, Columns] = ({}, columns({}))

    def of(self, pod: Object) -> Columns:
        """Return the columns of *pod*."""
        last = self._last
        if last[0] is not pod:
            last = self._last = pod, columns(pod)
        return last[1]


_ROWS = _Rows()


def pod_ready(pod: Object, now: float) -> JSON:
    found = _ROWS.of(pod)
    return f"{found.ready}/{found.total}"


def pod_status(pod: Object, now: float) -> JSON:
    return _ROWS.of(pod).status


def pod_restarts(pod: Object, now: float) -> JSON:
    """Return the number of restarts, and when the last of them was."""
    restarts = _ROWS.of(pod).restarts
    if not restarts:
        return "0"
    sidecars = {
        text(each, "name")
        for each in mappings(pod, "spec", "initContainers")
        if each.get("restartPolicy") == "Always"
    }
    counted = mappings(pod, "status", "initContainerStatuses")
    if condition(pod, "Initialized").get("status") == "True":
        counted = [each for each in counted if text(each, "name") in sidecars]
        counted += mappings(pod, "status", "containerStatuses")
    ended = [
        moment(each, "lastState", "terminated", "finishedAt") or 0.0 for each in counted
    ]
    last = max(ended, default=0.0)
    if not last:
        return str(restarts)
    return f"{restarts} ({human_duration(now - last)} ago)"


def readiness_gates(pod: Object, now: float) -> JSON:
    gates = mappings(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    met = [condition(pod, text(each, "conditionType")).get("status") for each in gates]
    return f"{met.count('True')}/{len(gates)}"


def job_status(job: Object, now: float) -> JSON:
    for state in _JOB_STATES:
        if state == _TERMINATING:
            is_so = is_deleted(job)
        else:
            is_so = condition(job, state).get("status") == "True"
        if is_so:
            return state
    return "Running"


def completions(job: Object, now: float) -> JSON:
    succeeded = number(job, "status", "succeeded")
    if "completions" in mapping(job, "spec"):
        return f"{succeeded}/{number(job, 'spec', 'completions')}"
    parallel = number(job, "spec", "parallelism")
    return f"{succeeded}/1 of {parallel}" if parallel > 1 else f"{succeeded}/1"


def job_duration(job: Object, now: float) -> JSON:
    started = moment(job, "status", "startTime")
    if started is None:
        return ""
    ended = moment(job, "status", "completionTime")
    return human_duration((now if ended is None else ended) - started)


def targets(autoscaler: Object, now: float) -> JSON:
    """Return the metrics of an HorizontalPodAutoscaler: what they are, and should."""
    specs = mappings(autoscaler, "spec", "metrics")
    current = mappings(autoscaler, "status", "currentMetrics")
    if not specs:
        return NONE
    shown = [
        _metric(spec, current[place] if place < len(current) else {})
        for place, spec in enumerate(specs)
    ]
    more = f" + {len(shown) - 2} more..." if len(shown) > 2 else ""
    return ", ".join(shown[:2]) + more


def _metric(spec: Object, status: Object) -> str:
    kind = text(spec, "type")
    member = kind[:1].lower() + kind[1:]
    of, now = mapping(spec, member), mapping(status, member, "current")
    target = mapping(of, "target")
    average = text(target, "averageValue")
    named = f"{text(of, 'name')}: " if kind.endswith("Resource") else ""
    if kind not in ("External", "Pods", "Object", "Resource", "ContainerResource"):
        return "<unknown type>"
    if average or kind == "Pods":
        per_pod = " (avg)" if kind in ("External", "Object") else ""
        return f"{named}{text(now, 'averageValue') or UNKNOWN}/{average}{per_pod}"
    if not named:
        return f"{text(now, 'value') or UNKNOWN}/{text(target, 'value')}"
    is_known = "averageUtilization" in now
    used = f"{number(now, 'averageUtilization')}%" if is_known else UNKNOWN
    wanted = f"{number(target, 'averageUtilization')}%"
    return f"{named}{used}/{wanted if 'averageUtilization' in target else '<auto>'}"


def controller(item: Object, now: float) -> JSON:
    """Return what controls an object: `daemonset.apps/agent`."""
    for each in mappings(item, "metadata", "ownerReferences"):
        if each.get("controller") is True:
            group = text(each, "apiVersion").rpartition("/")[0]
            kind = ".".join(filter(None, (text(each, "kind").lower(), group)))
            return f"{kind}/{text(each, 'name')}"
    return NONE
