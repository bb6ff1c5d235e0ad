"""The types of arguments: durations, sizes, pointers, conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kubectl_spy.core.times import parse_duration

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaited import Step

    _Seconds = click.ParamType[float]
    _Tokens = click.ParamType[tuple[str, ...]]
    _Bytes = click.ParamType[int]
    _Step = click.ParamType[Step]
    _Kinds = click.ParamType[frozenset[str]]
else:  # generic since click 8.4
    _Seconds = _Tokens = _Bytes = _Step = _Kinds = click.ParamType

# strconv.ParseBool
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_LONGEST = 1000 * 3600
"""Seconds; Windows cannot wait for twice that."""


class KubectlCommand(click.Command):
    """A command whose flags take a truth value, as in kubectl: `-A=true`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*. A flag with the value "false" is left out."""
        flags = {
            name
            for option in self.get_params(ctx)
            if isinstance(option, click.Option) and option.is_flag
            for name in option.opts
        }
        plain = []
        for index, arg in enumerate(args):
            if arg == "--":
                plain += args[index:]
                break
            name, equals, value = arg.partition("=")
            if not equals or name not in flags or value not in _TRUE | _FALSE:
                plain.append(arg)
            elif value in _TRUE:
                plain.append(name)
        return super().parse_args(ctx, plain)


class Duration(_Seconds):
    """Go's durations, as in kubectl: 30s, 5m, 1h30m. A bare number is seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return *value* in seconds."""
        if isinstance(value, float):
            return value
        text = str(value)
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
            return self._bounded(float(text), param, ctx)
        try:
            return self._bounded(parse_duration(text), param, ctx)
        except ValueError:
            self.fail(f'"{text}" is no duration; 30s, 5m or 1h30m are', param, ctx)

    def _bounded(
        self, seconds: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if seconds > _LONGEST:
            self.fail(f"{_LONGEST // 3600:,} hours are the longest", param, ctx)
        return seconds


class Pointer(_Tokens):
    """A JSON Pointer in which `*` matches any one token."""

    name = "pointer"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return *value* as tokens."""
        from kubectl_spy.core.patch import pointer

        if isinstance(value, tuple):
            return value
        try:
            return pointer.parse(str(value))
        except ValueError as error:
            self.fail(f"{error}; /metadata/labels does", param, ctx)


class EventTypes(_Kinds):
    """Types of Events, separated by commas."""

    name = "types"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[str]:
        """Return *value* as types in lower case."""
        if isinstance(value, frozenset):
            return value
        types = frozenset(each.strip().lower() for each in str(value).split(","))
        if not types <= {"normal", "warning"}:
            self.fail(f'"{value}": there are Normal and Warning', param, ctx)
        return types


class Size(_Bytes):
    """Kubernetes quantities of bytes: 500k, 100M, 1Gi. A bare number is bytes."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return *value* in bytes."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"([0-9]+)([kKMG]i?)?B?", str(value))
        if found is None or not int(found[1]):
            self.fail(f'"{value}" is no size; 500k, 100M or 1Gi are', param, ctx)
        unit = found[2] or ""
        power = " kMG".index(unit[:1].replace("K", "k") or " ")
        return int(found[1]) * int((1024 if unit.endswith("i") else 1000) ** power)


class Awaited(_Step):
    """The conditions of `kubectl wait --for`, ready and failed; "|" means any."""

    name = "condition"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Step:
        """Return *value* as a step."""
        from kubectl_spy.core.waiting.awaited import parse_step

        if not isinstance(value, str):
            step: Step = value
            return step
        try:
            return parse_step(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
