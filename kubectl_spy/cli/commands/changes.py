"""`kubectl spy changes`: how whole objects change."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy changes deploy/nginx
  kubectl spy changes deploy,rs,pods -n shop --ignore /metadata/generation
  kubectl spy changes cm -A --only /data
  kubectl spy changes pod/web-0 -o jsonpatch
  kubectl spy changes pod/web-0 --for delete
  kubectl spy changes deploy/nginx --since 1h
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.targets
@options.selection
@options.output
@options.live
@options.connection
@click.pass_obj
def changes(terminal: Terminal, /, **flags: Any) -> None:
    """What changes in objects, and who changes it?

    Print each change as it happens, as an RFC 6902 patch. One named object is printed
    whole first. If it does not exist yet, the command waits for it. managedFields and
    resourceVersion are left out.

    TARGET is named as in kubectl: deploy/nginx, deploy nginx, po,svc -l app=web,
    widgets.example.com/w0, pods with -A; or as in kubespy: v1 Pod namespace/name.
    """
    from kubectl_spy.cli.parsed import format_of, options_of
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.run.view import ChangeFormat
    from kubectl_spy.cli.views.change_records import change_records

    shown = format_of(ChangeFormat, flags)
    spec = change_records(shown)
    run(options_of(flags, spec), spec, terminal)
