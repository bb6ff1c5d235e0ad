"""`kubectl spy summary`: what mattered in a recording."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy summary",
    "kubectl spy summary -A",
    "kubectl spy summary night.spy",
    "kubectl spy summary night.spy deploy/web --since 03:00 --until 03:30",
    "kubectl spy summary night.spy -o json | jq -r '.failures[].what'",
    "kubectl spy summary deploy/web --timeout 10m",
    "kubectl spy summary -n shop --since 3h",
)
@options.targets
@options.selection
@options.excerpt
@options.narrowing
@options.choice("-o --output FORMAT", "", "text json")
@options.switch("--full", "Leave nothing out: each change, failure and count.")
@options.color
@options.secrets
@options.debug
@options.timeout
@options.source
@options.audit
@options.times
@options.goes_on
@options.connection
@click.pass_obj
def summary(terminal: Terminal, /, **flags: Any) -> None:
    """What failed, who changed what, and which change did it?

    Summarize what fails now, the most important first, and which change most likely
    caused it; what people changed; what goes back and forth; what is busiest. Of a
    cluster, this covers the last hour, as far as the API server remembers it: --since
    sets another time. With --watch or --timeout, watch the cluster first.

    TARGET is named as in kubectl: deploy/nginx, pods -l app=web. Without it, everything
    of the namespace is meant. A recording comes first: summary FILE TARGET.
    """
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.since import take_last_hour
    from kubectl_spy.cli.views.summary import SummaryFormat
    from kubectl_spy.cli.views.summary import summary as view

    recorded = flags["source"] is not None
    goes_on = bool(flags["watch"] or flags["timeout"] is not None)
    selects = bool(flags["label_selector"] or flags["field_selector"])
    if not goes_on:
        take_last_hour(flags)
    wanted = format_of(
        SummaryFormat,
        flags,
        recorded=recorded,
        words=tuple(flags["target"]),
        selects=selects or bool(flags["target"]),
        until=flags["to_time"] is not None,
        once=not (recorded or goes_on),
    )
    run(flags, view(wanted), terminal)
