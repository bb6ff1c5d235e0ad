"""Readiness rules for Pods."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import believed, is_true, told
from kubectl_spy.core.readiness.state import Readiness, current, failed, in_progress
from kubectl_spy.core.wording import both_ends

ENDED = frozenset({"Succeeded", "Failed"})  # the final phases
_HARMLESS = frozenset({"ContainerCreating", "PodInitializing", ""})
"""Reasons of waiting containers that are normal."""


def pod(obj: JSON) -> Readiness:
    """A Pod is current if it is ready, or has succeeded.

    For kstatus a Pod that cannot be scheduled for 15 seconds is FAILED. Here it is in
    progress: that rule needs a clock, and an autoscaler may take minutes to add a node.
    """
    phase = text(obj, "status", "phase")
    if phase == "Succeeded":
        return current("it has completed", final=True)
    if phase == "Failed":
        said = _reasons(obj) or both_ends(_explained(obj)) or "it has ended in failure"
        return failed(said, final=True)
    conditions = believed(obj)
    if phase == "Running" and is_true(conditions, "Ready"):
        return current("it is running and ready")
    crashing = [
        f"{name} ({restarts} restarts)"
        for name, reason, restarts in _waiting(obj)
        if reason == "CrashLoopBackOff"
    ]
    if crashing:
        return failed(both_ends(f"CrashLoopBackOff: {', '.join(crashing)}"))
    for name, reason, _ in _waiting(obj):
        if reason not in _HARMLESS:
            return in_progress(both_ends(f"{reason}: {name}"))
    scheduled = conditions.get("PodScheduled")
    if scheduled and scheduled.status == "False":
        return in_progress(str(scheduled))
    if phase == "Running":
        return in_progress(told(conditions, "Ready"))
    return in_progress(f"it is {both_ends(phase)}" if phase else "it has no phase yet")


def _waiting(obj: JSON) -> Iterator[tuple[str, str, int]]:
    """Yield the name, reason and restarts of each waiting container."""
    for statuses in ("initContainerStatuses", "containerStatuses"):
        for each in mappings(obj, "status", statuses):
            if "waiting" in mapping(each, "state"):
                reason = text(each, "state", "waiting", "reason")
                yield text(each, "name"), reason, number(each, "restartCount")


def _reasons(obj: JSON) -> str:
    """Return how containers of *obj* failed: `main: Error, exit code 3`."""
    ended = []
    for statuses in ("initContainerStatuses", "containerStatuses"):
        for each in mappings(obj, "status", statuses):
            code = number(each, "state", "terminated", "exitCode")
            if code:
                reason = text(each, "state", "terminated", "reason") or "ended"
                ended.append(f"{text(each, 'name')}: {reason}, exit code {code}")
    return both_ends("; ".join(ended))


def _explained(obj: JSON) -> str:
    said = text(obj, "status", "reason"), text(obj, "status", "message")
    return ": ".join(filter(None, said))
