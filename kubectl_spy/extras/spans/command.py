"""`kubectl spy spans`: what a change led to, as spans on a time line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy spans deploy/nginx",
    "kubectl spy spans deploy/nginx --for ready --record rollout.spy",
    "kubectl spy spans deploy/nginx -o json | jq -r 'select(.error) | .name'",
    "kubectl spy spans rollout.spy -o html -f rollout.html",
    "kubectl spy spans deploy/nginx --otlp http://localhost:4318",
)
@options.targets
@options.selection
@options.choice("-o --output FORMAT", ". html is a page, at the end", "text json html")
@options.file("-f --file page FILE", "the page of -o html")
@options.switch("--full", "Leave nothing out: each span has a row.")
@options.switch("--once", "Show the current state, and end.")
@options.otlp("--otlp URL", "Also send the spans")
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

    TARGET is named as in kubectl: deploy/nginx, pods -l app=web. A recording comes
    first: spans FILE TARGET.
    """
    from kubectl_spy.cli.parsed import collector_of, format_of, run
    from kubectl_spy.extras.spans.view import STDOUT, SpanFormat
    from kubectl_spy.extras.spans.view import spans as view

    _check_page(flags)
    otlp, html = collector_of(flags["otlp"]), None
    if flags["output"] == "html":
        html = flags["page"] or STDOUT
        flags["output"] = "html" if html == STDOUT else "text"  # beside the page
    flags["html"] = html
    run(flags, view(format_of(SpanFormat, flags, otlp=otlp)), terminal)


def _check_page(flags: Mapping[str, Any]) -> None:
    """Raise UsageError if the page would replace a file that is read or written."""
    from kubectl_spy.errors import UsageError

    page = flags["page"]
    if page and flags["output"] != "html":
        raise UsageError("-f is for the page of -o html", "add -o html")
    for name, what in (("record", "--record"), ("source", "the recording")):
        other = flags[name]
        if page and other and os.path.realpath(page) == os.path.realpath(other):
            raise UsageError(f"-f and {what} name the same file", "choose another")
