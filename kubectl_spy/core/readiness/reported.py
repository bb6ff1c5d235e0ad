"""What a status says of itself, for kinds without rules: words, flags, counts, texts.

Many controllers report no condition that is known, but a phase, a message or a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.fields import flag, mapping, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    StatusCondition,
    believable,
    conditions_of_parts,
    failed,
    in_progress,
    status_conditions,
)
from kubectl_spy.core.readiness.polarity import (
    NO_POLARITIES,
    Polarities,
    contradicts,
    is_bad,
    is_failed,
)
from kubectl_spy.core.wording import both_ends

_WORDS = ("phase", "state", "health", "status")
_STATES = ("statuses", "health")
"""Members that may hold a state for each part of the object."""
_TEXTS = ("message", "phaseReason", "failureMessage", "lastError", "error")
_FAILURES = ("failureMessage", "failureReason")
"""Members that are set when something failed that somebody has to repair.

https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machine
"""
_ENDS = ("completionTime", "completedAt", "finishedAt", "endTime", "finishTime")
"""Members that are set when what the object stands for has ended."""
_COUNTS = {"readyReplicas": "ready", "availableReplicas": "available"}
_LINE = 200  # the most characters of a line
_PARTS = 5  # the most parts that are named


def contradiction(obj: JSON, known: Polarities = NO_POLARITIES) -> Readiness | None:
    """Return what says that *obj* fails, whatever its good conditions say, or None.

    *known* is what is known of its conditions.
    """
    return bad_condition(obj, known) or bad_word(obj)


def bad_condition(obj: JSON, known: Polarities) -> Readiness | None:
    """Return the condition that says that *obj* fails, or None."""
    for each in all_conditions(obj):
        bad = contradicts(each.type, each.status, each.reason, each.severity, known)
        if bad and believable(obj, each):
            return failed(each)
    return None


def bad_word(obj: JSON) -> Readiness | None:
    """Return the word, flag or error in the status that says that *obj* fails."""
    if word := _failed_word(obj):
        return failed(_with_texts(obj, word), final=_has_ended(obj))
    if flag(obj, "status", "healthy") is False:
        return failed(_with_texts(obj, "it says that it is not healthy"))
    if any(text(obj, "status", each) for each in _FAILURES):
        return failed(texts(obj))
    if why := ", ".join(_errors(obj)):
        return failed(both_ends(why, _LINE))
    return None


def lacking(obj: JSON, known: Polarities = NO_POLARITIES) -> Readiness | None:
    """Return what *obj* says to lack, if no condition says that it is ready."""
    for each in all_conditions(obj):
        lacks = is_bad(each.type, "False", known=known)
        if each.status and each.status != "True" and lacks:
            return in_progress(each)
    if flag(obj, "status", "ready") is False:
        return in_progress(_with_texts(obj, "it says that it is not ready"))
    wanted = number(obj, "spec", "replicas", default=-1)
    for member, what in _COUNTS.items():
        there = number(obj, "status", member, default=wanted)
        if there < wanted:
            return in_progress(f"{there} of {wanted} replicas are {what}")
    return None


def texts(obj: JSON) -> str:
    """Return what the status of *obj* says in words: `TimedOut: no answer`, or ""."""
    status = mapping(obj, "status")
    said = [text(status, each) for each in _TEXTS]
    said.append(text(status, "error", "message"))
    found = [both_ends(each, _LINE) for each in said if each.strip()]
    reason = text(status, "reason") or text(status, "failureReason")
    if reason and not any(reason in each for each in found):
        first = f"{reason}: {found[0]}" if found else reason
        found = [first, *found[1:]]
    return both_ends("; ".join(dict.fromkeys(found)), _LINE)


def all_conditions(obj: JSON) -> Iterator[StatusCondition]:
    """Yield the conditions of *obj*, and those of its parts."""
    yield from status_conditions(obj)
    yield from conditions_of_parts(obj)


def _failed_word(obj: JSON) -> str:
    status = mapping(obj, "status")
    for name in _WORDS:
        word = text(status, name) or text(status, name, "status")
        if is_failed(word):
            return f"its {name} is {word}"
    for name in _STATES:
        parts = mapping(status, name)
        bad = [part for part, each in parts.items() if is_failed(_state_of(each))]
        if bad:
            first = parts[bad[0]]
            said = text(first, "reason") or text(first, "message")
            what = f"the {name.removesuffix('es')} of {', '.join(bad[:_PARTS])}"
            return f"{what} is {_state_of(first)}{f': {said}' if said else ''}"
    return ""


def _state_of(part: JSON) -> str:
    return part if isinstance(part, str) else text(part, "state")


def _errors(obj: JSON) -> Iterator[str]:
    """Yield the errors that a status reports: `attachError`, or `error` with a message.

    https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/
    """
    for name, each in mapping(obj, "status").items():
        message = text(each, "message")
        if message and (name == "error" or name.endswith("Error")):
            yield f"{name}: {both_ends(message, _LINE)}"


def _has_ended(obj: JSON) -> bool:
    return any(text(obj, "status", each) for each in _ENDS)


def _with_texts(obj: JSON, what: str) -> str:
    said = texts(obj)
    return both_ends(f"{what}: {said}" if said else what, _LINE)
