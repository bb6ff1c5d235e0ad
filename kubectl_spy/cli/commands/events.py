"""`kubectl spy events`: what was reported of an object and all that belongs to it."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.options import (
    connection_options,
    owned_options,
    selection_options,
    target_argument,
)
from kubectl_spy.cli.params import Duration, EventTypes, KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy events deploy/nginx
  kubectl spy events job/import --types Warning --since 10m --once
  kubectl spy events deploy/nginx --for ready -o json | jq -r .reason
  kubectl spy events --from rollout.spy
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@target_argument
@selection_options
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines of text, or JSON Lines.",
)
@click.option(
    "--types",
    shell_complete=words.event_types,
    type=EventTypes(),
    metavar="TYPES",
    help="Print only these types: Normal, Warning.",
)
@click.option(
    "--since",
    type=Duration(),
    metavar="TIME",
    help="Of the Events before the start, leave out those older than this: 10m, 1h.",
)
@click.option("--once", is_flag=True, help="Print the current Events, and end.")
@owned_options
@connection_options
@click.pass_obj
def events(terminal: Terminal, /, **flags: Any) -> None:
    """Which Events are there about an object and all it owns?

    Print the current Events in the order in which they happened, then each new one.
    With --from, print all in the order in which they happened. An Event that happens
    again is printed again, with its count. API servers keep Events for an hour.

    TARGET is named as in kubectl: deploy/nginx, deploy nginx, pods -l app=web. A
    Service and a PodDisruptionBudget include the Pods that they select, and an Ingress
    includes its Services.
    """
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.views.events import EventFormat
    from kubectl_spy.cli.views.events import events as view

    wanted = EventFormat(
        output=flags["output"],
        color=flags["color"],
        types=flags["types"] or frozenset(),
        since=flags["since"],
        once=flags["once"],
    )
    run(flags, view(wanted), terminal)
