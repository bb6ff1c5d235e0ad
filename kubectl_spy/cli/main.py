"""The command group `kubectl spy`."""

from __future__ import annotations

import click

from kubectl_spy import __version__
from kubectl_spy.cli.commands.changes import changes
from kubectl_spy.cli.commands.completion import completion
from kubectl_spy.cli.commands.demo import demo
from kubectl_spy.cli.commands.diff import diff
from kubectl_spy.cli.commands.events import events
from kubectl_spy.cli.commands.record import record
from kubectl_spy.cli.commands.replay import replay
from kubectl_spy.cli.commands.show import show
from kubectl_spy.cli.commands.spans import spans
from kubectl_spy.cli.commands.status import status
from kubectl_spy.cli.commands.trace import trace
from kubectl_spy.cli.commands.verify import verify

_EPILOG = """\b
Examples:
  kubectl spy status deploy/nginx          how its status changes, as it changes
  kubectl spy changes pods -l app=web      every change of some Pods
  kubectl spy demo                         all of it, without a cluster
"""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(__version__, "-V", "--version", message="kubectl-spy %(version)s")
def cli() -> None:
    """See how Kubernetes objects change: every version as an RFC 6902 patch."""


_LIVE = (status, changes, trace, events, spans)
_RECORDED = (record, replay, show, diff, verify)
for command in (*_LIVE, *_RECORDED, demo, completion):
    cli.add_command(command)
