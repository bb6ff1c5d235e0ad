"""`kubectl spy status`: how `.status` changes."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy status deploy/nginx",
    "kubectl spy status job/import -o json | jq -c .patch",
    "kubectl spy status deploy/nginx --for ready --timeout 5m",
    "kubectl spy status deploy/nginx --since 1h",
    "kubectl spy status night.spy pod/web-0",
)
@options.targets
@options.selection
@options.output
@options.live
@options.connection
@click.pass_obj
def status(terminal: Terminal, /, **flags: Any) -> None:
    """How does the status of objects change?

    Print each change of .status as it happens, as an RFC 6902 patch. One named object
    is printed whole first. A recording is printed at once, as it was recorded.

    TARGET is named as in kubectl: deploy/nginx, po,svc -l app=web, pods with -A; or as
    in kubespy: v1 Pod namespace/name. A recording comes first: status FILE TARGET.
    """
    from kubectl_spy.cli.parsed import excerpt_of, format_of, run
    from kubectl_spy.cli.run.view import ChangeFormat
    from kubectl_spy.cli.views.change_records import change_records

    excerpt = excerpt_of(flags, status=True)
    shown = format_of(ChangeFormat, flags, excerpt=excerpt)
    run(flags, change_records(shown), terminal)
