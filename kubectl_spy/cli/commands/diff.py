"""`kubectl spy diff`: the patch between any two recorded states."""

from __future__ import annotations

import re
from typing import Any

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.options import (
    color_option,
    debug_option,
    namespace_option,
    recording_argument,
)
from kubectl_spy.cli.params import KubectlCommand, Pointer
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy diff rollout.spy first last
  kubectl spy diff web.spy pod/web-0 15:04:05 15:06:00 --only /status
  kubectl spy diff web.spy deploy/web rv:4711 last -o jsonpatch
  kubectl spy diff web.spy deploy/web first last --semantic
"""


_BEFORE_END = re.compile(r"-[0-9].*")


class _Diff(KubectlCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take -5m for a point, and not for flags."""
        points = (
            f"last{each}" if _BEFORE_END.fullmatch(each) else each for each in args
        )
        return super().parse_args(ctx, list(points))


@click.command(cls=_Diff, epilog=_EPILOG)
@recording_argument
@click.argument(
    "words",
    nargs=-1,
    metavar="[TARGET] POINT POINT",
    shell_complete=words.targets_or_points,
)
@namespace_option("The namespace.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "jsonpatch", "yaml"]),
    default="text",
    show_default=True,
    help="Text for people, or the RFC 6902 patch.",
)
@click.option(
    "--semantic", is_flag=True, help="Ignore the order of lists, and print by path."
)
@click.option(
    "--only",
    type=Pointer(),
    multiple=True,
    metavar="POINTER",
    help="Compare only what is at this JSON Pointer; * matches one segment. "
    "Repeatable.",
)
@click.option(
    "--ignore",
    type=Pointer(),
    multiple=True,
    metavar="POINTER",
    help="Leave out what is at this JSON Pointer; * matches one segment. Repeatable.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there is a difference.")
@color_option
@debug_option
@click.pass_context
def diff(context: click.Context, /, **flags: Any) -> None:
    """What differs between two points in time?

    Print the RFC 6902 patch from one recorded state of an object to another.

    TARGET names the object, as in pod/web-0. It is not needed if there is only one.
    POINT is seq:12, rv:4711, first, last, 15:04:05.170, last-5m, first+30s, or an
    RFC 3339 time. The earlier point comes first.
    """
    from kubectl_spy.cli.views.difference import print_difference

    terminal: Terminal = context.obj
    differs = print_difference(flags, terminal)
    if differs and flags["exit_code"]:
        context.exit(1)
