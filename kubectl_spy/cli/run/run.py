"""Runs a command on a cluster or on a recording."""

from __future__ import annotations

from kubectl_spy.cli.run.options import OfCluster, Options
from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.sinks.terminal import Terminal


def run(options: Options, spec: ViewSpec, terminal: Terminal) -> None:
    """Show, and record, what *options* ask for, until something ends it.

    Raises SpyError if it cannot be had, or a recording is damaged; TimedOut if
    --timeout is over; WaitFailed if what --for waits for cannot come any more;
    StdoutClosed if nobody reads the output any more.
    """
    if isinstance(options.source, OfCluster):
        from kubectl_spy.cli.run.live import follow

        follow(options, options.source, spec, terminal)
    else:
        from kubectl_spy.cli.run.recorded import replay

        replay(options, options.source, spec, terminal)
