"""kubectl's flags, with kubectl's meaning, and ours: stacks that commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    _Seconds = click.ParamType[float]
    _Tokens = click.ParamType[tuple[str, ...]]
else:  # generic since click 8.4
    _Seconds = _Tokens = click.ParamType

F = TypeVar("F", bound=Callable[..., Any])

# strconv.ParseBool
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_LONGEST = 1000 * 3600
"""Seconds; Windows cannot wait for twice that."""
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class KubectlCommand(click.Command):
    """A command whose flags may be given a truth value, as Go's: `-A=true`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*; a flag that is given "false" is left out."""
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
    """Go's durations, which are kubectl's: 30s, 5m, 1h30m; a bare number is seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds *value* stands for."""
        if isinstance(value, float):
            return value
        text = str(value)
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
            return self._bounded(float(text), param, ctx)
        parts = re.findall(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)", text)
        if not parts or "".join(map("".join, parts)) != text:
            self.fail(f'"{text}" is no duration; 30s, 5m or 1h30m are', param, ctx)
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
        return self._bounded(seconds, param, ctx)

    def _bounded(
        self, seconds: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if seconds > _LONGEST:
            self.fail(f"{_LONGEST // 3600:,} hours are the longest", param, ctx)
        return seconds


class Pointer(_Tokens):
    """A JSON Pointer in which `*` stands for any one token."""

    name = "pointer"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the tokens of *value*."""
        from kubectl_spy.core import pointer

        if isinstance(value, tuple):
            return value
        try:
            return pointer.parse(str(value))
        except ValueError as error:
            self.fail(f"{error}; /metadata/labels does", param, ctx)


def connection_options(command: F) -> F:
    """Add the flags that choose a cluster and who one is there."""
    return _stacked(
        command,
        click.option("--kubeconfig", metavar="FILE", help="Path to the kubeconfig."),
        click.option("--context", metavar="NAME", help="The kubeconfig context."),
        click.option("--cluster", metavar="NAME", help="The kubeconfig cluster."),
        click.option("--user", metavar="NAME", help="The kubeconfig user."),
        click.option("-s", "--server", metavar="URL", help="The API server."),
        click.option("--as", "as_user", metavar="USER", help="Act as this user."),
        click.option(
            "--as-group",
            "as_groups",
            metavar="GROUP",
            multiple=True,
            help="Act as a member of this group; repeatable.",
        ),
        click.option("--as-uid", metavar="UID", help="Act with this uid."),
        click.option(
            "--request-timeout",
            type=Duration(),
            metavar="TIME",
            help="Wait this long for one answer, watches excepted: 30s, 1m.",
        ),
        click.option(
            "--insecure-skip-tls-verify",
            is_flag=True,
            help="Do not check the API server's certificate. Insecure.",
        ),
        click.option(
            "--cache-dir", metavar="DIR", help="Where API discovery is remembered."
        ),
    )


def selection_options(command: F) -> F:
    """Add the flags that say which objects."""
    return _stacked(
        command,
        click.option("-n", "--namespace", metavar="NAME", help="The namespace."),
        click.option(
            "-A", "--all-namespaces", is_flag=True, help="Look in every namespace."
        ),
        click.option(
            "-l", "--selector", "label_selector", metavar="QUERY", help="By labels."
        ),
        click.option("--field-selector", metavar="QUERY", help="By fields."),
    )


def output_options(command: F) -> F:
    """Add the flags that say what to show, and how."""
    return _stacked(
        command,
        click.option(
            "-o",
            "--output",
            type=click.Choice(["text", "json", "jsonpatch", "yaml"]),
            default="text",
            show_default=True,
            help="Text for people, change records, or RFC 6902 patches.",
        ),
        click.option(
            "--only",
            type=Pointer(),
            multiple=True,
            metavar="POINTER",
            help="Show nothing but what is there, * being any one step; repeatable.",
        ),
        click.option(
            "--ignore",
            type=Pointer(),
            multiple=True,
            metavar="POINTER",
            help="Leave out what is there, * being any one step; repeatable.",
        ),
        click.option(
            "--show-secrets", is_flag=True, help="Do not mask the values of Secrets."
        ),
        click.option(
            "--show-managed-fields",
            is_flag=True,
            help="Show managedFields and resourceVersion, too.",
        ),
        click.option(
            "--watch-only", is_flag=True, help="Print nothing for what is there."
        ),
        click.option(
            "--timeout", type=Duration(), metavar="TIME", help="End after so long."
        ),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; auto has them on a terminal, unless NO_COLOR is set.",
        ),
        click.option("--debug", is_flag=True, help="Show tracebacks of bugs."),
    )


def _stacked(command: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        command = option(command)
    return command
