"""`kubectl spy export`: a recording as a document."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy export night.spy --markdown > postmortem.md
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.switch(
    "--markdown", "Print the bookmarks that were set in review, as a postmortem."
)
@options.debug
@click.pass_obj
def export(terminal: Terminal, /, **flags: Any) -> None:
    """What can others read of a recording?

    Print a recording as a document for people who do not have kubectl spy. With
    --markdown these are the bookmarks that were set in kubectl spy review: when, what
    changed, the note, and the command that shows the change again.

    FILE may be gzipped.
    """
    from kubectl_spy.cli.review.postmortem import exported

    if not flags["markdown"]:
        raise UsageError("export does not know what to print", "say --markdown")
    text, said = exported(flags["file"])
    terminal.write_utf8()
    terminal.write(text)
    if said:
        terminal.say(f"warning: {said}")
