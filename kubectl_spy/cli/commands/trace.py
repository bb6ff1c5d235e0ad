"""`kubectl spy trace`: what an object and all under it is doing, and why not."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy trace deploy/nginx",
    "kubectl spy trace svc/web -n shop --once",
    "kubectl spy trace deploy/nginx --for ready --timeout 5m",
    "kubectl spy trace deploy/nginx --since 1h",
    "kubectl spy trace rollout.spy",
    "kubectl spy trace night.spy --at 03:12:30",
)
@options.targets
@options.selection
@options.choice(
    "-o --output FORMAT",
    ". text is a tree, and lines in a pipe",
    "text lines json",
)
@options.switch("--probe", "Also GET / of each Service port, every 10 seconds.")
@options.switch("--once", "Show the current state, and end.")
@options.switch("--full", "Leave nothing out: each object and transition.")
@options.logs
@options.owned
@options.at()
@options.connection
@click.pass_obj
def trace(terminal: Terminal, /, **flags: Any) -> None:
    """What is wrong with an object and all it owns, and why?

    On a terminal, draw a tree in place. In a pipe, print a line for each thing that
    matters. The command ends when nothing more can happen: a Job is complete, or the
    object is gone. Logs of failed containers are shown, and recorded with --logs.

    TARGET is named as in kubectl: deploy/nginx, svc/web, pods -l app=web. The tree
    follows owner references, and leads from a Service to its Pods. A recording comes
    first: trace FILE TARGET.
    """
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.since import take_last_hour
    from kubectl_spy.cli.views.tree import TreeFormat, tree
    from kubectl_spy.errors import UsageError

    if flags["source"] is not None and flags["probe"]:
        raise UsageError("--probe asks a cluster", "leave out --probe")
    if flags["at"] and (flags["from_time"] or flags["to_time"]):
        raise UsageError("--at is one point", "leave out the other times")
    if flags["once"]:
        take_last_hour(flags)
    once = flags["once"] or flags["at"] is not None
    wanted = format_of(TreeFormat, flags, once=once, logs=flags["logs"] is not False)
    run(flags, tree(wanted), terminal)
