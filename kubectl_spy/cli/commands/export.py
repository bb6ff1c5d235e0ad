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
  kubectl spy export night.spy --html > incident.html
  kubectl spy export night.spy deploy,pods -n web --html > web.html
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.targets
@options.namespace("With --html: only of this namespace.")
@options.selectors
@options.narrowing
@options.window("With --html: begin", "With --html: end")
@options.switch(
    "--html", "Print one HTML page: bookmarks, a time line, objects and changes."
)
@options.switch(
    "--markdown", "Print the bookmarks that were set in review, as a postmortem."
)
@options.audit("With --html: ")
@options.debug
@click.pass_obj
def export(terminal: Terminal, /, **flags: Any) -> None:
    """What can others read of a recording?

    Print a recording as a document for people who do not have kubectl spy.

    With --markdown these are the bookmarks that were set in kubectl spy review: when,
    what changed, the note, and the command that shows the change again.

    With --html it is one page for a browser, which loads nothing. It has the bookmarks,
    what changed and failed when, each object, and each change with its patch. TARGET,
    --from-time and --to-time choose a part. A page has at most 5,000 changes; it says
    how many others there are.

    FILE may be gzipped.
    """
    if flags["html"] == flags["markdown"]:
        say = "say --html or --markdown"
        raise UsageError("export prints one kind of document", say)
    if flags["html"]:
        from kubectl_spy.cli.run.recorded import replay
        from kubectl_spy.cli.run.replay import Replay
        from kubectl_spy.cli.views.recording_page import recording_page

        asked = Replay.from_flags({**flags, "source": flags["file"]})
        replay(asked, recording_page(flags), terminal)
        return
    from kubectl_spy.cli.review.postmortem import exported

    for name, value in flags.items():
        if value and name not in ("file", "markdown", "debug"):
            raise UsageError(
                "--markdown prints all bookmarks", "choose a part with --html"
            )
    text, said = exported(flags["file"])
    terminal.write_utf8()
    terminal.write(text)
    if said:
        terminal.say(f"warning: {said}")
