"""`kubectl spy verify`: whether a recording is as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_spy.cli.options import (
    debug_option,
    recording_argument,
)
from kubectl_spy.cli.params import KubectlCommand

if TYPE_CHECKING:
    from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy verify rollout.spy
"""


@click.command(
    cls=KubectlCommand,
    epilog=_EPILOG,
    short_help="Check that a recording is undamaged.",
)
@recording_argument
@debug_option
@click.pass_obj
def verify(terminal: Terminal, /, **flags: Any) -> None:
    """Check every line of a recording: its checksum, its patch, its snapshot.

    The jsonpatch package applies the patches a second time.

    Exits with 1 if one is damaged, naming the first. A recorder that was killed does no
    damage: it leaves a last line that was cut short, or a recording that is not ended.
    Both are reported, with exit code 0.
    """
    from kubectl_spy.cli.views.verification import verify as check

    check(flags["file"], terminal)
