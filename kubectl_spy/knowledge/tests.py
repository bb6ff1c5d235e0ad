"""Tests of an object: a condition, the value at a path, a comparison of two values.

A test looks at each value once, and raises nothing, whatever the object holds, but what
the budget of expressions raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kubectl_spy.knowledge.expressions import Budget, Expression
from kubectl_spy.knowledge.paths import Path, path_of, values_at, written
from kubectl_spy.knowledge.problem import BadEntry, Steps, mapping_of, text_of

CONDITIONS = "conditions"
EXPRESSION = "expression"
_OF_PARTS = "[].conditions"
_CONDITIONS = (
    ("conditions", "[]"),
    # Where objects of Cluster API keep conditions of their next version.
    # https://cluster-api.sigs.k8s.io/developer/providers/migrations/v1.8-to-v1.9
    ("v1beta2", "conditions", "[]"),
)
OF_CONDITION = ("status", "reason", "severity", "message")
"""Members of a condition that may be tested."""
_CHECKS = ("not", "present", "equals", "below", "above", "starts", "ends", "every")

Check = Callable[[Any, list[Any]], bool]
"""Says whether the values at a path pass, in an object."""


class Test(NamedTuple):
    """One test of an object."""

    passes: Callable[[Any, Budget], bool]
    condition: str = ""  # the type of the condition that it asks for
    path: Path = ()  # or the path that it looks at; or to conditions of parts
    fits: Callable[[Any, dict[str, Any]], bool] = lambda *_: False  # its condition


def tests_of(data: Any, where: Steps) -> tuple[Test, ...]:
    """Return the tests in *data*. All must pass. Raises BadEntry."""
    found: list[Test] = []
    for key, wanted in mapping_of(data, where).items():
        here = (*where, key)
        if key == CONDITIONS or key.endswith(_OF_PARTS):
            path = () if key == CONDITIONS else path_of(key, here, at_key=True)
            for kind, each in mapping_of(wanted, here).items():
                found.append(_of_condition(kind, each, (*here, kind), path))
        elif key == EXPRESSION:
            found.append(expression_of(wanted, here))
        else:
            found.append(_of_path(path_of(key, here, at_key=True), wanted, here))
    return tuple(found)


def expression_of(source: Any, where: Steps) -> Test:
    """Return the test that an expression is true. Raises BadEntry."""
    return Test(Expression(text_of(source, where), where).holds)


def _of_path(path: Path, wanted: Any, where: Steps) -> Test:
    check = _check(wanted, where)
    return Test(lambda obj, _: check(obj, values_at(obj, path)), path=path)


def _of_condition(kind: str, wanted: Any, where: Steps, path: Path) -> Test:
    """Return the test of a condition; with a *path*, that of any part of the object."""
    if not isinstance(wanted, dict):
        wanted = {"status": wanted}
    checks = {
        member: _check(_status(each) if member == "status" else each, (*where, member))
        for member, each in mapping_of(wanted, where, OF_CONDITION).items()
    }

    def fits(obj: Any, held: dict[str, Any]) -> bool:
        return all(
            check(obj, [held[member]] if held.get(member) else [])
            for member, check in checks.items()
        )

    def passes(obj: Any, _: Budget) -> bool:
        if not path:
            return fits(obj, condition_in(obj, kind))
        held = (conditions_in(part).get(kind) for part in values_at(obj, path[:-1]))
        return any(each and is_current(obj, each) and fits(obj, each) for each in held)

    return Test(passes, kind, path, fits)


def _status(wanted: Any) -> Any:
    """Return the status of a condition as the API writes it: YAML reads True."""
    if isinstance(wanted, list):
        return [_status(each) for each in wanted]
    if isinstance(wanted, dict):
        return {
            name: each if name == "present" else _status(each)
            for name, each in wanted.items()
        }
    return str(wanted) if isinstance(wanted, bool) else wanted


def condition_in(obj: Any, kind: str) -> dict[str, Any]:
    """Return the condition of type *kind* that is about the current spec, or {}."""
    held = conditions_in(obj.get("status") if isinstance(obj, dict) else None)
    found = held.get(kind, {})
    return found if is_current(obj, found) else {}


def conditions_in(part: Any) -> dict[Any, dict[str, Any]]:
    """Return the conditions of a status, or of a part of it, by type."""
    held = (each for path in _CONDITIONS for each in values_at(part, path))
    found: dict[Any, dict[str, Any]] = {}
    for each in held:
        if isinstance(each, dict):
            found.setdefault(str(each.get("type")), each)
    return found


def is_current(obj: Any, condition: dict[str, Any]) -> bool:
    """Return whether *condition* is about the current spec of *obj*.

    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
    """
    now = next(iter(values_at(obj, ("metadata", "generation"))), 0)
    seen = condition.get("observedGeneration")
    return not (isinstance(seen, int) and isinstance(now, int) and seen < now)


def _check(wanted: Any, where: Steps) -> Check:
    """Return the check that *wanted* describes: a value, a list of them, or words."""
    if not isinstance(wanted, dict):
        words = _words(wanted, where)
        return lambda _, values: any(written(it) in words for it in values)
    checks = [
        _named(name, each, (*where, name))
        for name, each in mapping_of(wanted, where, _CHECKS).items()
    ]
    return lambda obj, values: all(each(obj, values) for each in checks)


def _named(name: str, wanted: Any, where: Steps) -> Check:
    if name == "not":
        refused = _check(wanted, where)
        return lambda obj, values: bool(values) and not refused(obj, values)
    if name == "present":
        if not isinstance(wanted, bool):
            raise BadEntry(where, "true or false is expected here")
        return lambda _, values: any(it not in ("", [], {}) for it in values) is wanted
    if name == "every":
        words = _words(wanted, where)
        return lambda _, values: (
            bool(values) and all(written(it) in words for it in values)
        )
    if name in ("starts", "ends"):
        parts = tuple(_words(wanted, where))
        fits = str.startswith if name == "starts" else str.endswith
        return lambda _, values: any(fits(written(it), parts) for it in values)
    return _comparison(name, wanted, where)


def _comparison(name: str, wanted: Any, where: Steps) -> Check:
    path: Path | None = None
    number: float = 0
    if type(wanted) in (int, float):
        number = wanted
    else:
        path = path_of(wanted, where)

    def check(obj: Any, values: list[Any]) -> bool:
        others = [number] if path is None else values_at(obj, path)
        if name == "equals":
            both = bool(values and others)
            return both and written(values[0]) == written(others[0])
        # Go leaves out a count of 0.
        first: Any = values[0] if values else 0
        other: Any = others[0] if others else None
        if not _is_number(first) or not _is_number(other):
            return False
        return bool(first < other if name == "below" else first > other)

    return check


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _words(wanted: Any, where: Steps) -> frozenset[str]:
    several = wanted if isinstance(wanted, list) else [wanted]
    if not several or not all(isinstance(it, (str, int, float)) for it in several):
        raise BadEntry(where, "a value, or a list of values, is expected here")
    return frozenset(map(written, several))
