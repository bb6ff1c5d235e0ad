"""The readiness of an object by the entry of its kind in `knowledge`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    State,
    StatusCondition,
    believable,
    conditions_of,
    conditions_of_parts,
    in_progress,
    status_conditions,
)
from kubectl_spy.core.readiness.reported import bad_condition, texts
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice
from kubectl_spy.core.wording import both_ends
from kubectl_spy.knowledge.expressions import Budget, TooMuch
from kubectl_spy.knowledge.form import Kind, Rule
from kubectl_spy.knowledge.paths import EACH, text_at, values_at
from kubectl_spy.knowledge.tests import OF_CONDITION, Test

_STATES = {
    "failed": State.FAILED,
    "waiting": State.IN_PROGRESS,
    "paused": State.IN_PROGRESS,
    "current": State.CURRENT,
    "ended": State.CURRENT,
    "warned": State.CURRENT,
    "there": State.CURRENT,
}
_TOO_MUCH = "not judged: the expressions of its entry take too many steps"
_LINE = 200  # the most characters of a line
_LONGEST = 60  # the most characters of a value that is quoted


def by_entry(obj: dict[str, JSON], entry: Kind) -> Readiness | None:
    """Return the readiness by the first rule of *entry* that holds, or None.

    What a condition contradicts is not ready, whatever the rule says. If expressions
    take too many steps, a rule that did not come to its end may be the first.
    """
    budget = Budget()
    try:
        rule = next((it for it in entry.health if it.passes(obj, budget)), None)
    except TooMuch:
        return Readiness(State.UNKNOWN, _TOO_MUCH)
    if rule is None:
        return None
    if rule.state == "there" and any(status_conditions(obj)):
        return None  # it has a status after all
    found = _by_rule(obj, rule)
    if rule.state == "current":
        found = _lacking(obj, entry) or _late(obj) or found
    if found.state is State.CURRENT and not found.warns:
        return bad_condition(obj, entry.conditions) or found
    return found


def _lacking(obj: dict[str, JSON], entry: Kind) -> Readiness | None:
    """Return that Ready, or what *entry* calls good, is false; or None."""
    for each in status_conditions(obj):
        said = entry.conditions.get(each.type, "good" if each.type == "Ready" else "")
        good = "good" in said and "warning" not in said
        if good and each.status == "False" and believable(obj, each):
            return in_progress(each)
    return None


def _late(obj: dict[str, JSON]) -> Readiness | None:
    """Return that a part of *obj* tells of an earlier spec, or None."""
    for each in conditions_of_parts(obj):
        if not believable(obj, each):
            words = f"{each.of}: {each.type} is about an earlier spec"
            return Readiness(State.IN_PROGRESS, words)
    return None


def _by_rule(obj: dict[str, JSON], rule: Rule) -> Readiness:
    state = _STATES[rule.state]
    about, words, condition = _in_words(obj, rule)
    if rule.says and (said := rule.says.filled(obj)):
        words, condition = said, None
    if rule.grace is not None:
        state = State.IN_PROGRESS
    return Readiness(
        state,
        both_ends(words, _LINE),
        rule.final,
        judged=rule.state != "there",
        about=about,
        remedy=_remedy(obj, rule),
        warns=rule.state == "warned",
        paused=rule.state == "paused",
        grace=rule.grace,
        condition=condition,
    )


def _in_words(
    obj: dict[str, JSON], rule: Rule
) -> tuple[str, str, StatusCondition | None]:
    """Return the part that *rule* is about, and what the object, a condition, says."""
    for test in rule.tests:
        for each in _conditions_for(obj, test):
            held = {name: getattr(each, name) for name in OF_CONDITION}
            if each.type == test.condition and test.fits(obj, held):
                return each.about, str(each), each
    for test in rule.tests:
        if test.path and not test.condition and (value := text_at(obj, test.path)):
            name = test.path[-1] if test.path[-1] != "[]" else test.path[-2]
            what = both_ends(f"its {name} is {value}", _LONGEST)
            # What is left of an earlier failure says nothing of what is well now.
            said = "" if rule.state in ("current", "ended") else texts(obj)
            words = f"{what}: {said}" if said and said != value else what
            return "/".join(test.path), words, None
    return "status", texts(obj) or f"it is {rule.state}", None


def _conditions_for(obj: dict[str, JSON], test: Test) -> Iterator[StatusCondition]:
    """Yield the conditions that *test* may have looked at."""
    if test.condition and not test.path:
        yield from status_conditions(obj)
    elif test.condition:
        yield from conditions_of_parts(obj)
        of = test.path[-3] if test.path[-3] != EACH else test.path[-4]
        for part in values_at(obj, test.path[:-1]):
            yield from conditions_of(part, of)


def _remedy(obj: dict[str, JSON], rule: Rule) -> Remedy:
    if rule.remedy is None:
        return NO_REMEDY
    values = rule.remedy.values(obj)
    if not all(values):
        return NO_REMEDY  # half a command helps nobody
    template = "{}".join(rule.remedy.parts)
    return advice(template, *values)
