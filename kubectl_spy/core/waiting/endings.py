"""Decides which conditions an existing object can never meet.

A wrong "never" is worse than a long wait. So only rules of the API server and of
controllers count.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import moment, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import Readiness, State, status_conditions
from kubectl_spy.core.readiness.readiness import GRACE
from kubectl_spy.core.readiness.workloads import ENDED
from kubectl_spy.core.remedy import advice, kubectl
from kubectl_spy.core.waiting.awaited import Condition, PathIs, Stage, StatusConditionIs
from kubectl_spy.core.waiting.roots import RootName

_RIVALS: dict[tuple[str, str], dict[str, frozenset[str]]] = {
    # https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/apis/batch/validation/validation.go
    ("batch", "Job"): {
        "complete": frozenset({"Failed", "FailureTarget"}),
        "successcriteriamet": frozenset({"Failed", "FailureTarget"}),
        "failed": frozenset({"Complete", "SuccessCriteriaMet"}),
        "failuretarget": frozenset({"Complete", "SuccessCriteriaMet"}),
    },
    # https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/apis/certificates/validation/validation.go
    ("certificates.k8s.io", "CertificateSigningRequest"): {
        "approved": frozenset({"Denied"}),
        "denied": frozenset({"Approved"}),
    },
}
"""By kind and condition, the other conditions that exclude it."""
_OVER = frozenset({"Complete", "Failed"})
"""After these conditions the Job controller no longer writes the status."""
_RUNNING = frozenset(  # conditions that do not become true after a Pod has ended
    {
        "ready",
        "containersready",
        "initialized",
        "podscheduled",
        "podreadytostartcontainers",
    }
)
_CONDITION = re.compile(  # the path to a condition's status, as in kubectl's help
    r"""status\.conditions\[\?\(@\.type\s*==\s*["'](\w+)["']\)\]\.status"""
)


class Verdict(NamedTuple):
    """How the wait ended: the condition is met, or can no longer be met."""

    met: bool
    message: str  # `deployment.apps/web: ready (3 of 3 updated replicas are available)`
    remedy: str = ""  # what to do, if it can no longer be met


class Failure(NamedTuple):
    """A failure of a target, or of an object below it."""

    root: RootName  # the target
    message: str
    remedy: str
    final: bool  # whether it stays so until somebody changes something
    top: str = ""  # the uid of the object that fails, or of its topmost controller


def never(condition: Condition, obj: JSON, state: Readiness, *, going: bool) -> bool:
    """Return whether *obj* can no longer meet *condition*.

    *state* is its readiness. *going* says that it is being deleted, and that another
    object of its name does not count.
    """
    match condition:
        case Stage.READY:
            return going or (state.final and state.state is State.FAILED)
        case Stage.FAILED:
            return going or (state.final and state.state is State.CURRENT)
    return _cannot_come(condition, obj)


def unjudged(record: ChangeRecord, state: Readiness) -> Verdict | None:
    """Return the verdict for a kind without a rule of readiness.

    While an object is new, its controller may still write its first conditions.
    """
    if state.judged or state.state is State.CURRENT:
        return None
    created = moment(record.document, "metadata", "creationTimestamp")
    old = created is not None and record.time >= created + GRACE
    if not old and not (state.state is State.UNKNOWN and record.initial):
        return None
    kind = record.gvk.kind
    article = "an" if kind[:1] in tuple("AEIOU") else "a"
    message = f"{record.label}: no rule says when {article} {kind} is ready"
    add = kubectl("spy help kinds {}", record.gvk.printed)
    return Verdict(
        False, message, advice("use --for condition=NAME, or add one: {}", add)
    )


def _cannot_come(condition: Condition, obj: JSON) -> bool:
    kind = text(obj, "apiVersion").rpartition("/")[0], text(obj, "kind")
    holds = {each.type for each in status_conditions(obj) if each.true}
    match condition:
        case StatusConditionIs(name, value):
            true = value.casefold() == "true"
            if true and _RIVALS.get(kind, {}).get(name.casefold(), set()) & holds:
                return True
            if _ended(kind, obj):
                return true and name.casefold() in _RUNNING
            return kind == ("batch", "Job") and bool(_OVER & holds)
        case PathIs(path, value):
            plain = path.text.strip(" {}").lstrip("$.")
            if value is not None and (found := _CONDITION.fullmatch(plain)):
                return _cannot_come(StatusConditionIs(found[1], value), obj)
            if _ended(kind, obj):
                return plain == "status.phase" and value is not None
            over = kind == ("batch", "Job") and _OVER & holds
            return bool(over) and re.match(r"status\b", plain) is not None
    return False


def _ended(kind: tuple[str, str], obj: JSON) -> bool:
    return kind == ("", "Pod") and text(obj, "status", "phase") in ENDED
