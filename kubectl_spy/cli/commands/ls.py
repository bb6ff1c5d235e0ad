"""`kubectl spy ls`: what a recording holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_spy.cli.options import (
    color_option,
    debug_option,
    excerpt_options,
    namespace_option,
    narrowing_options,
    recording_argument,
    selector_options,
    target_argument,
    window_options,
)
from kubectl_spy.cli.params import KubectlCommand

if TYPE_CHECKING:
    from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy ls night.spy
  kubectl spy ls night.spy pods -n shop --sort time
  kubectl spy ls night.spy --by kubectl-edit --from-time 03:00 --to-time 03:30
  kubectl spy ls night.spy -o json | jq '.objects[] | select(.gone) | .name'
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@recording_argument
@target_argument
@namespace_option("Only of this namespace.")
@selector_options
@narrowing_options
@excerpt_options
@window_options("Begin", "End")
@click.option(
    "--sort",
    type=click.Choice(["changes", "time", "name"]),
    default="changes",
    show_default=True,
    help="What comes first: most changes, the latest, or names in order.",
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table, or one line of JSON.",
)
@color_option
@debug_option
@click.pass_obj
def ls(terminal: Terminal, /, **flags: Any) -> None:
    """What does a recording hold?

    Print its times, its gaps, and for each object how often it changed and who likely
    did it. What narrows the objects also narrows the counts.

    TARGET selects among the recorded objects: pod/web-0, pods. FILE may be gzipped;
    - is standard input.
    """
    from kubectl_spy.cli.run.recorded import replay
    from kubectl_spy.cli.run.replay import Replay
    from kubectl_spy.cli.views.contents import contents

    replay(
        Replay.from_flags({**flags, "source": flags["file"]}), contents(flags), terminal
    )
