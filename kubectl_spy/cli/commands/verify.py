"""`kubectl spy verify`: whether a recording is as it was written."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy verify rollout.spy
  kubectl spy verify loki+https://logs.example.com --since 03:00
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.window("With Loki: begin", "With Loki: end")
@options.debug
@click.pass_obj
def verify(terminal: Terminal, /, **flags: Any) -> None:
    """Is a recording undamaged?

    Check every line: its checksum, its patch, its snapshot. The jsonpatch
    package applies patches a second time: the first 2,000, then each that moves
    a value, and one in 16 of the others. If that is not all, the result says so.

    If a line is damaged, name the first one, and exit with 1. A recorder that was
    killed damages nothing: it leaves a last line that is cut short, or a recording
    without an end. Both are reported, and the exit code is 0.
    """
    from kubectl_spy.cli.views.verification import verify as check
    from kubectl_spy.errors import UsageError
    from kubectl_spy.sources.recording.segments import is_fetched

    if (flags["from_time"] or flags["to_time"]) and not is_fetched(flags["file"]):
        raise UsageError("a file is verified as a whole", "leave out the times")
    check(flags["file"], terminal)
