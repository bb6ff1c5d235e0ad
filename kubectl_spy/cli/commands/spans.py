"""`kubectl spy spans`: what a change led to, as spans on a time line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy spans deploy/nginx
  kubectl spy spans deploy/nginx --for ready --record rollout.spy
  kubectl spy spans deploy/nginx -o json | jq -r 'select(.error) | .name'
  kubectl spy spans rollout.spy --html rollout.html
  kubectl spy spans deploy/nginx --otlp http://localhost:4318
  kubectl spy spans deploy/nginx --otlp env --for ready --timeout 10m
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.targets
@options.selection
@options.choice(
    "-o --output",
    "Bars on a time line, or a line of JSON for each span when it ends.",
    "text json",
)
@options.switch("--full", "Show every span as a row of its own.")
@options.switch("--once", "Show the current state, and end.")
@options.otlp("--otlp URL", "Also send the spans")
@options.value(
    "--html FILE", "Also write the spans to an HTML page, at the end.", words.files
)
@options.owned
@options.connection
@click.pass_obj
def spans(terminal: Terminal, /, **flags: Any) -> None:
    """What does a change lead to, and how long does each step take?

    Draw each change as a trace, with bars on a time line: the objects that changed
    because of it, their phases, and the Events about them. On a terminal the bars grow
    as it happens. In a pipe they are drawn at the end, also after Ctrl-C.

    The command runs until Ctrl-C, --for, --timeout or --once ends it. In CI, --for
    ready ends it with the rollout.

    TARGET is named as in kubectl: deploy/nginx, deploy nginx, pods -l app=web.
    """
    from kubectl_spy.cli.parsed import collector_of, format_of, options_of
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.views.span_outlets import SpanFormat
    from kubectl_spy.cli.views.spans import spans as view

    _check_page(flags)
    otlp = collector_of(flags["otlp"])
    wanted = format_of(SpanFormat, flags, otlp=otlp)
    spec = view(wanted)
    run(options_of(flags, spec), spec, terminal)


def _check_page(flags: Mapping[str, Any]) -> None:
    """Raise UsageError if the page would replace a file that is read or written."""
    from kubectl_spy.errors import UsageError

    page = flags["html"]
    if page == "-":
        raise UsageError("--html writes a file", "for standard output use -o json")
    for name, what in (("record", "--record"), ("source", "the recording")):
        other = flags[name]
        if page and other and os.path.realpath(page) == os.path.realpath(other):
            raise UsageError(f"--html and {what} name the same file", "choose another")
