"""`kubectl spy changes`: how whole objects change."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy changes deploy,rs,pods -n shop",
    "kubectl spy changes cm -A --only /data",
    "kubectl spy changes pod/web-0 --for delete",
    "kubectl spy changes night.spy --since 03:10 --until 03:15 -o short",
)
@options.targets
@options.selection
@options.output
@options.live
@options.connection
@click.pass_obj
def changes(terminal: Terminal, /, **flags: Any) -> None:
    """What changes in objects, and who changes it?

    Print each change as it happens, as an RFC 6902 patch. One named object is printed
    whole first. managedFields and resourceVersion are left out. A recording is printed
    at once, with --only, --ignore and --watch-only as it was recorded.

    TARGET is named as in kubectl: deploy/nginx, po,svc -l app=web, pods with -A. A
    recording comes first: changes FILE TARGET.
    """
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.run.view import ChangeFormat
    from kubectl_spy.cli.views.change_records import change_records

    shown = format_of(ChangeFormat, flags)
    run(flags, change_records(shown), terminal)
