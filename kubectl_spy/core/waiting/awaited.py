"""The conditions of `--for`: those of `kubectl wait`, and ours.

condition=NAME[=VALUE]    jsonpath=PATH[=VALUE]    create    delete    ready    failed

One `--for` is a step: one condition, or alternatives with "|" between them. A "|" in a
path is in brackets, and a "|" in a value is in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from kubectl_spy.core.fields import number
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.conditions import (
    Readiness,
    State,
    believable,
    status_conditions,
)
from kubectl_spy.core.waiting.jsonpath import Path, parse_path, printed


class Stage(Enum):
    """The conditions that are a single word."""

    CREATE = "create"
    DELETE = "delete"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StatusConditionIs:
    """A status condition has a value. Case does not matter."""

    name: str
    value: str

    def __str__(self) -> str:
        default = self.value.casefold() == "true"
        return f"condition={self.name}" + ("" if default else f"={self.value}")

    def status(self, obj: JSON) -> tuple[bool, str]:
        """Return whether *obj* meets it, and its state in words.

        As in kubectl, a condition about an earlier spec does not count.
        """
        for each in status_conditions(obj):
            if each.type.casefold() != self.name.casefold():
                continue
            if not believable(obj, each):
                generation = number(obj, "metadata", "generation")
                return False, f"{each.type} is not about generation {generation} yet"
            return each.status.casefold() == self.value.casefold(), str(each)
        return False, f"it has no condition {self.name}"


@dataclass(frozen=True, slots=True)
class PathIs:
    """A path leads to a value, or to any value if *value* is None."""

    path: Path
    value: str | None

    def __str__(self) -> str:
        value = f'"{self.value}"' if self.value and "|" in self.value else self.value
        return f"jsonpath={self.path.text}" + (f"={value}" if value else "")

    def status(self, obj: JSON) -> tuple[bool, str]:
        """Return whether *obj* meets it, and its state in words.

        Raises ValueError if the path leads to no single value that can be compared.
        """
        found = self.path.value(obj)
        if not found:
            return False, f"{self.path.text} is not there"
        if self.value is None:
            return True, f"{self.path.text} is there"
        try:
            value = printed(found[0]).strip()
        except ValueError as error:
            raise ValueError(f"{self.path.text} {error}") from None
        return value == self.value.strip(), f"{self.path.text} is {value}"


Condition = Stage | StatusConditionIs | PathIs  # one condition
Step = tuple[Condition, ...]  # conditions, any of which is enough
FAILED: Step = (Stage.FAILED,)  # `--for failed` alone. Then a failure is the goal.


def can_fail(steps: Iterable[Step]) -> bool:
    """Return whether failures matter: they do not for `create` and `delete`."""
    bare = {Stage.CREATE, Stage.DELETE}
    return any(condition not in bare for step in steps for condition in step)


def phrase(condition: Condition) -> str:
    """Return *condition* as typed."""
    return condition.value if isinstance(condition, Stage) else str(condition)


def typed(step: Step) -> str:
    """Return *step* as typed."""
    return "|".join(map(phrase, step))


def met(step: Step, document: JSON, state: Readiness) -> tuple[str, str]:
    """Return which condition of *step* an object meets, or "", and its state.

    Raises ValueError if the value at a path cannot be compared.
    """
    states = []
    for condition in step:
        match condition:
            case Stage.CREATE:
                return "created", ""
            case Stage.DELETE:
                holds, how = False, "it is still there"
            case Stage.READY:
                holds, how = state.state is State.CURRENT, state.message
            case Stage.FAILED:  # beside others it means to give up
                holds = state.state is State.FAILED and step == FAILED
                how = state.message
            case _:
                holds, how = condition.status(document)
        if holds:
            return phrase(condition), how
        states.append(how)
    return "", "; ".join(dict.fromkeys(states))


def parse_step(text: str) -> Step:
    """Return the step in *text*.

    >>> typed(parse_step('ready|jsonpath={.spec.x}="a|b"'))
    'ready|jsonpath={.spec.x}="a|b"'

    Raises ValueError if it is not one. The message lists the valid ones.
    """
    parts = _alternatives(text)
    if len(parts) == 1:
        return (parse_awaited(text),)
    try:
        return tuple(dict.fromkeys(map(parse_awaited, parts)))
    except ValueError as error:
        if not all(part.strip() for part in parts):
            message = f'"{text}" lacks a condition beside "|", as in ready|failed'
        elif any("=" in part for part in parts):
            message = f'{error}; a "|" in a value needs quotes: jsonpath={{.a}}="b|c"'
        else:
            message = str(error)
        raise ValueError(message) from None


def _alternatives(text: str) -> list[str]:
    """Split *text* at each "|" outside of quotes and brackets.

    Quotes count only inside brackets or at the start of a value.
    """
    parts, begin, depth, equals, quote = [], 0, 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            if char == quote and text[at - 1] != "\\":
                quote = ""
        elif char in "'\"" and (depth or (equals and text[at - 1] == "=")):
            quote = char
        elif char in "{[(" and equals == 1:
            depth += 1
        elif char in "}])" and depth:
            depth -= 1
        elif char == "=" and not depth:
            equals += 1
        elif char == "|" and not depth:
            parts.append(text[begin:at])
            begin, equals = at + 1, 0
    return [*parts, text[begin:]]


def parse_awaited(text: str) -> Condition:
    """Return the condition in *text*.

    Raises ValueError if it is not one. The message lists the valid ones.
    """
    kind, equals, rest = text.strip().partition("=")
    word = kind.lower()
    if not equals and word in {stage.value for stage in Stage}:
        return Stage(word)
    if equals and word == "condition":
        name, has_value, value = rest.partition("=")
        if not name or (has_value and not value):
            missing = "value" if name else "name"
            raise ValueError(f'"{text}" lacks a {missing}, as in condition=Ready=False')
        return StatusConditionIs(name, value or "true")
    if equals and word == "jsonpath":
        return _parse_path_is(rest)
    raise ValueError(_no_condition(text, kind, equals, rest))


def _parse_path_is(rest: str) -> PathIs:
    """Return the condition after `jsonpath=`, split as in kubectl.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/cmd/wait/wait.go
    """
    path, *values = _divided(rest)
    if not path:
        raise ValueError(
            "jsonpath= needs a path, as in jsonpath={.status.phase}=Running"
        )
    if len(values) > 1:
        raise ValueError(
            f'"jsonpath={rest}" has more than one "="; '
            "jsonpath={.status.phase}=Running has the path, then the value"
        )
    if not values:
        return PathIs(parse_path(path), None)
    value = values[0].strip("'\"")
    if not value:
        raise ValueError(
            f'"jsonpath={rest}" has no value behind "="; without "=" any value will do'
        )
    return PathIs(parse_path(path), value)


def _divided(text: str) -> list[str]:
    """Split *text* at each single "=", but not at "==", which belongs to a filter."""
    return [part.replace("\0", "==") for part in text.replace("==", "\0").split("=")]


def _no_condition(text: str, kind: str, equals: str, rest: str) -> str:
    import difflib

    words = [stage.value for stage in Stage]
    near = difflib.get_close_matches(
        kind.lower(), [*words, "condition", "jsonpath"], n=1, cutoff=0.7
    )
    meant = near[0] if near else ""
    if (
        equals
        and re.fullmatch("[A-Z][A-Za-z]+", kind)
        and (not meant or meant in words)
    ):
        meant = f"condition={text}"
    elif re.fullmatch(r"\{?\.[a-zA-Z].*", kind):
        meant = f"jsonpath={text}"
    elif meant == "jsonpath":
        meant = f"jsonpath={rest or '{.status.phase}=Running'}"
    elif meant == "condition":
        meant = f"condition={rest}" if equals else ""
    elif re.fullmatch(r"[0-9]+[smh]?", text):
        meant = f"--timeout {text}"
    elif not meant and re.fullmatch("[A-Z][A-Za-z]+", kind):
        meant = f"condition={text}"
    if meant:
        return f'"{text}" is nothing to wait for; did you mean {meant}?'
    return (
        f'"{text}" is nothing to wait for; '
        f"{', '.join(words)}, condition=NAME and jsonpath=PATH=VALUE are"
    )
