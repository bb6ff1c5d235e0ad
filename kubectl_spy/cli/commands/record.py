"""`kubectl spy record`: write down how objects change, for later."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.cli.record_options import recorded
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy record",
    "kubectl spy record deploy/nginx -f rollout.spy",
    "kubectl spy record pods -A -f night.spy --max-size 100M --timeout 8h",
    "kubectl spy record pods -A --otlp http://collector:4318",
    "kubectl spy record deploy/web --owned -f box.spy --keep 30m --stop-on failed",
)
@options.targets
@options.selection
@recorded
@options.logs
@options.connection
@click.pass_obj
def record(terminal: Terminal, /, **flags: Any) -> None:
    """How can I record changes, and look at them later?

    Record objects and their changes to a file, until Ctrl-C or --stop-on. The file
    holds whole objects, and every patch between their versions. Values of Secrets are
    masked. All commands that read take FILE as their first argument. With --otlp, each
    line is also sent to a collector, and -f is not needed. --keep and --stop-on failed
    together keep the time before a failure.

    TARGET is named as in kubectl: deploy/nginx, po,svc -l app=web, pods with -A.
    Without it, everything of the namespace is recorded, and what explains it.
    """
    from kubectl_spy.cli.parsed import run
    from kubectl_spy.cli.run.monitoring import monitored
    from kubectl_spy.cli.run.view import ViewSpec
    from kubectl_spy.cli.views.patience import LogReadingView
    from kubectl_spy.errors import UsageError
    from kubectl_spy.sources.recording.naming import is_recording

    for word in flags["target"]:
        if is_recording(word):
            raise UsageError(f"{word} is no target", f"to record to it, add -f {word}")
    with monitored(flags.pop("metrics_bind_address"), terminal.say) as monitor:
        spec = ViewSpec(
            make=LogReadingView,
            silent=True,
            everything=True,
            logs=flags["logs"],
            monitor=monitor,
        )
        run(flags, spec, terminal)
