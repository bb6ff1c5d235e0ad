"""Sends what is recorded to a collector, over OTLP."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kubectl_spy.core.fields import text
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sinks.delivery import Counts
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.extras.otel.exporter import Exporter
    from kubectl_spy.extras.otel.lines import Line, LineEncoding, LineSender
    from kubectl_spy.sources.connection.connect import Connection

_AT_END = 10.0  # seconds to wait for a collector at the end
# A first list, and each hour's snapshots, put in all objects at once.
_MOST, _HEAVIEST = 200_000, 256 << 20


class LineDelivery:
    """Sends lines with *exporter*, as a `Delivery`."""

    def __init__(self, exporter: Exporter[Line], sender: LineSender) -> None:
        self.url = exporter.url
        self.send = sender.send
        self._exporter = exporter

    def when_settled(self, call: Callable[[int], None]) -> None:
        """Call *call* with the seq of the last line that was delivered or refused."""
        self._exporter.settled = lambda line: call(line.completed)

    def counts(self) -> Counts:
        """Return what became of the lines. Any thread may call."""
        of, queue = self._exporter, self._exporter.outbox
        return Counts(of.delivered, of.refused, queue.dropped, queue.backlog)


@contextmanager
def sending(
    otlp: str, connection: Connection, terminal: Terminal, *, alone: bool
) -> Iterator[LineDelivery | None]:
    """Yield what sends lines to the collector *otlp*; None if that is switched off.

    It is *alone* if nothing is recorded to a file.

    Raises UsageError if the collector's URL or OTEL_* is invalid; Exit if lines were
    not delivered, and there is no other error.
    """
    # The import of OpenTelemetry is slow, and needed only to send.
    from kubectl_spy.extras.otel.exporter import open_exporter
    from kubectl_spy.extras.otel.otel_env import LOGS, disabled

    if disabled(os.environ):
        if alone:
            raise UsageError(
                "OTEL_SDK_DISABLED is true: nothing is sent", "add -f FILE"
            )
        terminal.say("OTEL_SDK_DISABLED is true: no lines are sent")
        yield None
        return

    def encoding() -> LineEncoding:
        from kubectl_spy.extras.otel.lines import LineEncoding

        return LineEncoding(_cluster_uid(connection))

    exporter = open_exporter(
        otlp,
        LOGS,
        encoding,
        say=terminal.say,
        environ=os.environ,
        most=_MOST,
        heaviest=_HEAVIEST,
    )
    from kubectl_spy.extras.otel.lines import LineSender

    try:
        yield LineDelivery(exporter, LineSender(exporter.send))
    except click.exceptions.Exit as end:
        try:
            lost = exporter.close(_AT_END)
        except BaseException:  # a second signal, perhaps before it had begun
            exporter.close(0)
            raise
        raise click.exceptions.Exit(end.exit_code or int(lost > 0)) from None
    except BaseException as error:  # the first signal became an Exit
        exporter.close(_AT_END if isinstance(error, SpyError) else 0)
        raise
    if exporter.close(_AT_END):  # as it has said
        raise click.exceptions.Exit(1)


def _cluster_uid(connection: Connection) -> str:
    """Return the uid of the namespace kube-system; "" without the right to read it.

    https://opentelemetry.io/docs/specs/semconv/registry/attributes/k8s/
    """
    try:
        namespace = connection.get_path("/api/v1/namespaces/kube-system")
    except SpyError:
        return ""
    return text(namespace, "metadata", "uid")
