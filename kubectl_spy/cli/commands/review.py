"""`kubectl spy review`: look through a recording on the whole screen."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand

_EPILOG = """\b
Examples:
  kubectl spy review night.spy
  kubectl spy review web.spy.gz                # a gzipped one
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.window("From a Loki: begin", "From a Loki: end")
@options.debug
@click.pass_obj
def review(terminal: object, /, **flags: Any) -> None:
    """What happened, when, in a recording of any size?

    Look through a recording on the whole screen: its objects and their versions, each
    change, and where changes, gaps and damage are in time. All panes share one clock.
    The key ? shows every key.

    FILE may be gzipped; - is standard input. This command needs Textual, which krew
    installs with it. Elsewhere: pipx inject kubectl-spy 'textual>=8,<9'.
    """
    from kubectl_spy.cli.review.launch import review as run

    run(flags)
