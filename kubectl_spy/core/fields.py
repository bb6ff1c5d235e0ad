"""Reads fields of objects. A field of the wrong type counts as absent."""

from __future__ import annotations

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import time_of


def mapping(value: JSON, *steps: str) -> dict[str, JSON]:
    """Return the object at the path *steps* in *value*, or {}."""
    found = _found(value, steps)
    return found if isinstance(found, dict) else {}


def mappings(value: JSON, *steps: str) -> list[dict[str, JSON]]:
    """Return the objects in the list at the path *steps* in *value*, or []."""
    found = _found(value, steps)
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, dict)]


def text(value: JSON, *steps: str) -> str:
    """Return the string at the path *steps* in *value*, or ""."""
    found = _found(value, steps)
    return found if isinstance(found, str) else ""


def number(value: JSON, *steps: str, default: int = 0) -> int:
    """Return the integer at the path *steps* in *value*, or *default*."""
    found = _found(value, steps)
    return found if type(found) is int else default


def generation(value: JSON, *steps: str, default: int = 0) -> int:
    """Return the generation at the path *steps*, as `number` does.

    Argo Rollouts writes `observedGeneration` as a string of digits.
    https://github.com/argoproj/argo-rollouts/blob/v1.8.3/pkg/apis/rollouts/v1alpha1/types.go
    """
    found = _found(value, steps)
    digits = isinstance(found, str) and len(found) < 19 and found.isascii()
    if digits and found.isdecimal():
        return int(found)
    return found if type(found) is int else default


def flag(value: JSON, *steps: str) -> bool | None:
    """Return the boolean at the path *steps* in *value*, or None."""
    found = _found(value, steps)
    return found if isinstance(found, bool) else None


def moment(value: JSON, *steps: str) -> float | None:
    """Return the time at the path *steps*, in seconds since the epoch, or None."""
    return time_of(text(value, *steps))


def condition(obj: JSON, kind: str) -> dict[str, JSON]:
    """Return the condition of type *kind* in the status of *obj*, or {}."""
    found = _found(obj, ("status", "conditions"))
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and each.get("type") == kind:
            return each
    return {}


def conditions(obj: JSON) -> dict[str, dict[str, JSON]]:
    """Return the conditions in the status of *obj* by type, to ask for several."""
    found: dict[str, dict[str, JSON]] = {}
    for each in mappings(obj, "status", "conditions"):
        kind = each.get("type")
        if isinstance(kind, str):
            found.setdefault(kind, each)
    return found


def _found(value: JSON, steps: tuple[str, ...]) -> JSON:
    for step in steps:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value
