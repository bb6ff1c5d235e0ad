"""`kubectl spy blame`: who wrote each field of an object last."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy blame deploy/nginx",
    "kubectl spy blame deploy/nginx --only /spec/template",
    "kubectl spy blame night.spy deploy/nginx",
    "kubectl spy blame night.spy deploy/nginx --at 03:12:30 -o json",
)
@options.targets
@options.selection
@options.excerpt
@options.choice("-o --output FORMAT", ". text is YAML with comments", "text json")
@options.secrets
@options.color
@options.debug
@options.since
@options.timeout
@options.source
@options.audit
@options.at()
@options.connection
@click.pass_obj
def blame(terminal: Terminal, /, **flags: Any) -> None:
    """Who wrote each field of an object last, and when?

    Print an object as YAML. Comments name the field manager that likely wrote a value,
    and the time. For a cluster this comes from managedFields, so the time is that of
    the manager's last write. For a recording it comes from the changes themselves, with
    the value before. Fields without a comment were there at the start of the recording,
    or are written by the API server.

    TARGET is named as in kubectl: deploy/nginx, pods -l app=web. To read a recording,
    name it first: blame night.spy deploy/nginx. Without TARGET or -l, it says which
    object people wrote last, or with -o json prints all.
    """
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.views.blame import BlameFormat
    from kubectl_spy.cli.views.blame import blame as view

    chosen = any(flags[each] for each in ("target", "label_selector", "field_selector"))
    wanted = format_of(BlameFormat, flags, once=True, chosen=chosen)
    run(flags, view(wanted), terminal)
