"""`kubectl spy summary`: what mattered in a recording."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy summary night.spy
  kubectl spy summary night.spy deploy/web --since 03:00 --until 03:30
  kubectl spy summary night.spy -o json | jq -r '.failures[].what'
  kubectl spy summary deploy/web --timeout 10m
  kubectl spy summary deploy/web --since 1h
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.targets
@options.selection
@options.excerpt
@options.narrowing
@options.choice("-o --output FORMAT", "", "text json")
@options.switch("--full", "Leave nothing out: each change, failure and count.")
@options.color
@options.secrets
@options.redact
@options.debug
@options.stop_on
@options.timeout
@options.source
@options.audit
@options.times
@options.watch
@options.connection
@click.pass_obj
def summary(terminal: Terminal, /, **flags: Any) -> None:
    """What failed, who changed what, and which change did it?

    Summarize a recording: what failed and when, and which change most likely caused it;
    what people changed; what goes back and forth; what is busiest. With only a TARGET,
    watch the cluster until Ctrl-C, --timeout or --stop-on, and then print the summary.
    With --since, summarize what the API server remembers of that time, at once. Then
    TARGET may be left out: it is "all", the types that kubectl counts to it.

    TARGET is named as in kubectl: deploy/nginx, pods -l app=web. A recording comes
    first: summary FILE TARGET.
    """
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.views.summary import summary as view
    from kubectl_spy.errors import UsageError

    if flags["source"] is not None and flags["awaited"]:
        raise UsageError("--stop-on is for a cluster", "end a recording with --until")
    if flags["back_to"] is not None and not (flags["target"] or flags["source"]):
        flags |= {"target": ("all",)}
    run(flags, view(flags), terminal)
