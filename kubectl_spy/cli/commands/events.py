"""`kubectl spy events`: what was reported of an object and all that belongs to it."""

from __future__ import annotations

import time
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import EVENT_TYPES, command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy events deploy/nginx",
    "kubectl spy events job/import --types Warning --since 10m --once",
    "kubectl spy events deploy/nginx --for ready -o json | jq -r .reason",
    "kubectl spy events rollout.spy",
)
@options.targets
@options.selection
@options.choice("-o --output FORMAT", "", "text json")
@options.value(
    "--types TYPES",
    "Print only these types: Normal, Warning.",
    words.event_types,
    type=EVENT_TYPES,
)
@options.switch("--once", "Print the current Events, and end.")
@options.owned
@options.connection
@click.pass_obj
def events(terminal: Terminal, /, **flags: Any) -> None:
    """Which Events are there about an object and all it owns?

    Print the current Events in the order in which they happened, then each new one.
    Of a recording, print all Events in that order. An Event that happens again is
    printed again, with its count. By default an API server keeps Events for an hour.
    --since leaves out those that are older, and without --for also prints each time at
    which they happened that the API server remembers.

    TARGET is named as in kubectl: deploy/nginx, pods -l app=web. A Service includes its
    Pods, and an Ingress its Services. A recording comes first: events FILE TARGET.
    """
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.views.events import EventFormat
    from kubectl_spy.cli.views.events import events as view

    since = flags["back_to"]
    flags |= {"since": None if since is None else time.time() - since}
    wanted = format_of(EventFormat, flags, types=flags["types"] or frozenset())
    if flags["awaited"]:
        flags |= {"back_to": None}
    run(flags, view(wanted), terminal)
