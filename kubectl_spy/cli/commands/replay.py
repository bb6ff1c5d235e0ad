"""`kubectl spy replay`: what was recorded, as it was shown."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy replay rollout.spy --speed 10
  kubectl spy replay rollout.spy pod/web-0 --instant
  kubectl spy replay night.spy --since 03:10:00 --until 03:15:00
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.targets
@options.namespace("Only objects of this namespace.")
@options.selectors
@options.value(
    "--speed X",
    "Play this many times as fast as it happened.",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
)
@options.switch("--instant", "Do not wait between changes.")
@options.audit("Also ")
@options.window("Begin", "End")
@options.output
@options.timeout
@click.pass_obj
def replay(terminal: Terminal, /, **flags: Any) -> None:
    """What happened, and in which order?

    Print the changes of a recording, as the command that recorded them printed them.

    TARGET selects among the recorded objects: pod/web-0, pods. FILE may be gzipped; -
    is standard input. Earlier segments of FILE come first.
    """
    from kubectl_spy.cli.parsed import format_of, options_of
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.run.view import ChangeFormat
    from kubectl_spy.cli.views.change_records import as_recorded

    speed = None if flags["instant"] else flags["speed"]
    shown = as_recorded(format_of(ChangeFormat, flags, watch_only=False))
    run(options_of({**flags, "speed": speed}, shown), shown, terminal)
