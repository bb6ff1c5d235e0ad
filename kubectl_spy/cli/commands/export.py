"""`kubectl spy export`: a recording as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal

_FORMS = ("html", "markdown", "otlp_json")
_CHOOSING = {
    "namespace": "-n",
    "label_selector": "-l",
    "field_selector": "--field-selector",
    "managers": "--by",
    "grep": "--grep",
}
_EPILOG = """\b
Examples:
  kubectl spy export night.spy --markdown > postmortem.md
  kubectl spy export night.spy --html > incident.html
  kubectl spy export night.spy deploy,pods -n web --html > web.html
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.targets
@options.namespace("With --html: only objects of this namespace.")
@options.selectors
@options.narrowing
@options.window("With --html: begin", "With --html: end")
@options.switch(
    "--html", "Print one HTML page: bookmarks, a time line, objects and changes."
)
@options.switch(
    "--markdown", "Print the bookmarks that were set in review, as a postmortem."
)
@options.switch(
    "--otlp-json", "Print the recording as OpenTelemetry log records, in JSON Lines."
)
@options.debug
@click.pass_obj
def export(terminal: Terminal, /, **flags: Any) -> None:
    """How can I give a recording to others?

    Print a recording as a document, for people and programs without kubectl spy.

    --html prints one page for a browser: the bookmarks, what changed and failed when,
    each object, and each change with its patch. The page loads nothing. It has at most
    5,000 changes, and says how many others there are. TARGET, -n, -l, --field-selector,
    --by, --grep, --since and --until choose a part, with --html only.

    --markdown prints the bookmarks that were set in kubectl spy review: the time, what
    changed, the note, and the command that shows the change again.

    --otlp-json prints what record --otlp sends.

    FILE may be gzipped.
    """
    forms = [each for each in _FORMS if flags[each]]
    if len(forms) != 1:
        say = f"say one of {', '.join(map(_flag, _FORMS))}"
        raise UsageError("export prints one kind of document", say)
    if flags["html"]:
        from kubectl_spy.cli.parsed import narrowing_of, options_of
        from kubectl_spy.cli.run.run import run
        from kubectl_spy.extras.report.recording_page import recording_page

        page = recording_page(narrowing_of(flags), _chosen(flags))
        run(options_of(flags, page), page, terminal)
        return
    for name, value in flags.items():
        if value and name not in ("file", "debug", *_FORMS):
            raise UsageError(
                f"{_flag(forms[0])} prints all of a recording",
                "choose a part with --html",
            )
    if flags["markdown"]:
        from kubectl_spy.extras.report.postmortem import print_postmortem

        print_postmortem(flags["file"], terminal)
    else:
        from kubectl_spy.cli.views.exports import print_otlp_json

        print_otlp_json(flags["file"], terminal)


def _chosen(flags: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line that choose a part of the recording."""
    words = list(flags["target"])
    for name, flag in _CHOOSING.items():
        values = flags[name]
        for each in values if isinstance(values, tuple) else filter(None, [values]):
            words += [flag, each]
    return words


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
