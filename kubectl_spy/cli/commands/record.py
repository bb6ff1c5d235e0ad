"""`kubectl spy record`: write down how objects change, for later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.cli.record_options import recorded
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy record
  kubectl spy record deploy/nginx -f rollout.spy
  kubectl spy record deploy,rs,pods -l app=web -f web.spy
  kubectl spy record pods -A -f night.spy --max-size 100M --timeout 8h
  kubectl spy record pods -A --otlp http://collector:4318
  kubectl spy record deploy/web --owned -f box.spy --keep 30m --stop-on failed
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.targets
@options.selection
@recorded
@options.switch(
    "--logs",
    "Also record the last log lines of containers that fail, in the Pods that are "
    "recorded. They are not masked.",
)
@options.connection
@click.option("--when-input-ends", hidden=True)  # keep or delete FILE: review TARGET
@click.pass_obj
def record(terminal: Terminal, /, **flags: Any) -> None:
    """How can I record changes, and look at them later?

    Record objects and their changes to a file, until Ctrl-C or --stop-on. The file
    holds whole objects, and every patch between their versions. Values of Secrets are
    masked. All commands that read take FILE as their first argument.

    With --otlp, each line is also sent to an OpenTelemetry collector. Then -f is not
    needed.

    With --keep, the file holds only the last part of the recording. With --stop-on
    failed, the recording ends when something fails. Together they keep the time before
    a failure.

    TARGET is named as in kubectl: deploy/nginx, deploy nginx, po,svc -l app=web, pods
    with -A. Without it, everything of the namespace is recorded, and what explains it.
    """
    from kubectl_spy.cli.parsed import options_of
    from kubectl_spy.cli.run.monitoring import monitored
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.run.signals import end_with_input
    from kubectl_spy.cli.run.view import ViewSpec
    from kubectl_spy.cli.views.log_reading import LogReadingView

    if at_end := flags.pop("when_input_ends"):
        file = flags["record"] if at_end == "delete" else None
        end_with_input(None if file is None else Path(file))
    with monitored(flags.pop("metrics_bind_address"), terminal.say) as monitor:
        spec = ViewSpec(
            make=LogReadingView,
            silent=True,
            everything=True,
            logs=flags["logs"],
            monitor=monitor,
        )
        run(options_of(flags, spec), spec, terminal)
