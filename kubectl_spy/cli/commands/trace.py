"""`kubectl spy trace`: what an object and all under it is doing, and why not."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy trace deploy/nginx
  kubectl spy trace svc/web -n shop --once
  kubectl spy trace job/import -o json | jq -c '.objects[0].phase'
  kubectl spy trace deploy/nginx --for ready --timeout 5m
  kubectl spy trace deploy/nginx --since 1h
  kubectl spy trace rollout.spy
  kubectl spy trace night.spy --at 03:12:30
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.targets
@options.selection
@options.choice(
    "-o --output",
    "text is a tree on a terminal and lines in a pipe; json is one state a line.",
    "text lines json",
)
@options.switch(
    "--probe",
    "Also send GET / to each port of a Service through the API server, every 10 "
    "seconds. The application sees these requests.",
)
@options.switch("--once", "Show the current state, and end.")
@options.switch(
    "--full", "Draw every object by itself. In lines, print every transition."
)
@click.option(
    "--logs/--no-logs",
    default=None,
    help="Show the last log lines of containers that failed (the default), or do not. "
    "With --record, --logs also records them. They are not masked.",
)
@options.owned
@options.value(
    "--speed X",
    "With a recording: play this many times as fast as it happened.",
    type=click.FloatRange(min=0, min_open=True),
)
@options.at("show the tree as it was then")
@options.connection
@click.pass_obj
def trace(terminal: Terminal, /, **flags: Any) -> None:
    """What is wrong with an object and all it owns, and why?

    On a terminal, draw a tree in place. Fold and count what does not fit. The last tree
    stays on the screen. In a pipe, print a line for each thing that matters. The
    command ends when nothing more can happen: a Job is complete, or the object is gone.

    TARGET is named as in kubectl: deploy/nginx, deploy nginx, svc/web, pods -l app=web.
    The tree follows owner references to objects of any kind. It also leads from a
    Service to the Pods that it selects, and from an Ingress to its Services.
    """
    from kubectl_spy.cli.parsed import format_of, options_of
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.views.tree import TreeFormat, tree
    from kubectl_spy.errors import UsageError

    if flags["source"] is not None and flags["probe"]:
        raise UsageError("--probe asks a cluster", "leave out --probe")
    if flags["at"] and (flags["from_time"] or flags["to_time"]):
        raise UsageError("--at is one point", "leave out the other times")
    once = flags["once"] or flags["at"] is not None
    wanted = format_of(TreeFormat, flags, once=once, logs=flags["logs"] is not False)
    spec = tree(wanted)
    run(options_of(flags, spec), spec, terminal)
