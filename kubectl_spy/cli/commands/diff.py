"""`kubectl spy diff`: what differs between two points, or two recordings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import KubectlCommand, command
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.terms import option

_FOR_RECORDINGS = ("who", "namespace", "label_selector", "field_selector")
_FAILED = 2  # the exit code of diff(1), as kubectl diff wants it
_BEFORE_END = re.compile(r"-[0-9].*")


class _Diff(KubectlCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take -5m for a point, and not for flags."""
        points = (
            f"last{each}" if _BEFORE_END.fullmatch(each) else each for each in args
        )
        return super().parse_args(ctx, list(points))


@command(
    "kubectl spy diff night.spy 03:10 03:15",
    "kubectl spy diff web.spy pod/web-0 15:04:05 15:06:00 --only /status",
    "kubectl spy diff web.spy deploy/web rv:4711 last -o jsonpatch",
    "kubectl spy diff web.spy deploy/web first last -o semantic",
    "kubectl spy diff web.spy deploy/web -10m last -o wide",
    "kubectl spy diff before.spy after.spy deploy,cm --ignore /metadata",
    "kubectl spy diff before.spy after.spy -n shop=shop-2",
    cls=_Diff,
)
@options.recording
@click.argument(
    "words",
    nargs=-1,
    metavar="[TARGET] [POINTS] | FILE2",
    shell_complete=words.targets_or_points,
)
@options.namespace("Only this namespace. A=B: A is compared with B, on the later side.")
@options.selectors
@options.choice(
    "-o --output FORMAT",
    ". wide says who likely made each change, and when. semantic ignores the order of "
    "lists",
    "text wide semantic jsonpatch yaml",
)
@options.excerpt
@options.switch("--full", "Leave nothing out: each operation, new objects, heartbeats.")
@options.switch("--exit-code", "Exit with 1 for a difference, with 2 for an error.")
@options.color
@options.debug
@click.pass_context
def diff(context: click.Context, /, **flags: Any) -> None:
    """What differs between two points in time?

    Print the RFC 6902 patch of each object that changed, by type and name. Objects that
    are new or gone are one line each, those without a difference are counted, and so
    are heartbeats and Leases, without TARGET. The earlier point comes first.

    TARGET chooses objects, as in pod/web-0 or deploy,cm. POINTS are seq:12, rv:4711,
    first, last, 15:04:05.170, last-5m, first+30s, or an RFC 3339 time. Without
    them, first and last are compared.

    With a second recording, the ends of both are compared. TARGET, -l and
    --field-selector choose the objects that match on either side.

    To see such patches in kubectl diff, set KUBECTL_EXTERNAL_DIFF="kubectl-spy diff".
    It compares the objects in two directories. Values of Secrets are masked.
    """
    named = map(Path, (flags["file"], *flags["words"]))
    external = [each.is_dir() for each in named] == [True, True]
    output = flags["output"]
    flags |= {
        "external": external,
        "semantic": output == "semantic",
        "who": output == "wide",
        "output": "text" if output in ("wide", "semantic") else output,
    }
    as_diff = flags["exit_code"] or external
    try:
        differs = _print(flags, context.obj)
    except SpyError as error:
        if as_diff:  # 1 means that they differ
            error.exit_code = _FAILED
        raise
    if differs and as_diff:
        context.exit(1)


def _print(flags: Mapping[str, Any], terminal: Terminal) -> bool:
    """Print what differs. Return whether anything does."""
    from kubectl_spy.cli.parsed import format_of, one_object
    from kubectl_spy.cli.views.difference import DiffFormat
    from kubectl_spy.sources.recording.naming import is_recording
    from kubectl_spy.sources.recording.segments import fetched

    words = flags["words"]
    shown = format_of(DiffFormat, flags)
    if flags["external"]:
        from kubectl_spy.cli.views.external_diff import print_external

        if any(flags[each] for each in _FOR_RECORDINGS):
            raise UsageError(
                "-n, -l, --field-selector and -o wide are for recordings",
                "leave them out",
            )
        return print_external([flags["file"], *words], shown, terminal)
    from kubectl_spy.cli.views.differences import print_differences

    file, first = flags["file"], next(iter(words), "")
    target, points = words[:-2], words[-2:]
    if not any(map(_is_point, points)):
        target, points = words, ("first", "last")
    if first in fetched or is_recording(first):
        file, target, points = first, words[1:], ("last", "last")
    one = one_object(flags, target)
    before, after = _namespaces(one.namespace)
    sides = (
        one._replace(namespace=before),
        one._replace(namespace=after, file=file),
    )
    return print_differences(sides, points, shown, terminal)


def _is_point(word: str) -> bool:
    from kubectl_spy.core.changes.points import parse_point

    try:
        parse_point(word)
    except ValueError:
        return False
    return True


def _namespaces(word: str | None) -> tuple[str | None, str | None]:
    """Return the namespace on each side: of `shop=shop-2`, or the same."""
    if word is None or "=" not in word:
        return word, word
    before, _, after = word.partition("=")
    if not before or not after or "=" in after:
        raise UsageError(
            f"{option('-n')} {word} is no pair of namespaces",
            f"write {option('-n')} BEFORE=AFTER",
        )
    return before, after
