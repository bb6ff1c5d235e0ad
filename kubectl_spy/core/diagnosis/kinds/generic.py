"""Any kind: how far it is by its conditions, and all that it owns.

What a condition means whose type says nothing to us, only its controller knows: such
ones are shown as they are, and count neither for nor against the object.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.fields import condition, moment, text
from kubectl_spy.core.readiness.conditions import StatusCondition, status_conditions
from kubectl_spy.core.readiness.readiness import State, readiness

_GOOD = frozenset(
    {
        "Ready",
        "Available",
        "Established",
        "Succeeded",
        "Complete",
        "Completed",
        "AbleToScale",
        "ScalingActive",
        "Synced",
        "Healthy",
    }
)
"""Conditions that are as they should be when they are true."""
_BAD = frozenset(
    {
        "Stalled",
        "Failed",
        "Degraded",
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
        "NetworkUnavailable",
    }
)
"""Conditions that are as they should be when they are false."""
_LEAVING = frozenset({"Terminating", "Deleting"})
"""Conditions that say, when they are true, why an object is still being deleted.

Those of a CustomResourceDefinition, and of Cluster API's kinds.
"""
_VERDICTS = {
    State.CURRENT: Verdict.OK,
    State.IN_PROGRESS: Verdict.WAITING,
    State.TERMINATING: Verdict.WAITING,
    State.FAILED: Verdict.FAILING,
    State.UNKNOWN: Verdict.UNKNOWN,
}
_PHASES = {
    State.CURRENT: "Ready",
    State.IN_PROGRESS: "InProgress",
    State.TERMINATING: "Terminating",
    State.FAILED: "Failed",
    State.UNKNOWN: "Present",
}


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the object is by the rules that all kinds share."""
    conditions = tuple(status_conditions(entry.document))
    gone = terminating(entry, seen)
    if gone is not None:
        told = _findings(entry, conditions, gone.verdict)
        return gone._replace(findings=(*gone.findings, *told))
    state = readiness(entry.document, has_status=entry.has_status)
    verdict = _VERDICTS[state.state]
    plain = state.state is State.CURRENT and not conditions
    phase = text(entry.document, "status", "phase").split(" ")[0][:40]
    findings = tuple(_findings(entry, conditions, verdict))
    said = any(state.message == str(each) for each in conditions)
    return Diagnosis(
        phase=phase or ("Present" if plain else _PHASES[state.state]),
        verdict=verdict,
        summary="" if plain or said else state.message,
        findings=findings,
        final=state.final,
    )


def _findings(
    entry: Entry, conditions: tuple[StatusCondition, ...], verdict: Verdict
) -> Iterator[Finding]:
    for each in dict.fromkeys(conditions):
        since = moment(condition(entry.document, each.type), "lastTransitionTime")
        yield Finding(
            f"condition/{each.type}",
            _verdict(each, verdict),
            each.in_full,
            since=since,
        )


def _verdict(each: StatusCondition, verdict: Verdict) -> Verdict:
    """Return how a condition is, of an object that is as *verdict* says."""
    if each.type in _LEAVING and each.true:
        return Verdict.WAITING
    if each.type not in _GOOD | _BAD:
        return Verdict.OK
    if each.status not in ("True", "False"):
        return Verdict.UNKNOWN
    if each.true is (each.type in _GOOD):
        return Verdict.OK
    if each.type in _BAD:
        return Verdict.FAILING
    return verdict if verdict is not Verdict.OK else Verdict.WAITING
