"""Sends what is recorded to a collector, over OTLP."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from kubectl_spy.core.fields import text
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.extras.otel.exporter import Exporter
    from kubectl_spy.extras.otel.lines import Line, LineSender
    from kubectl_spy.sources.connection.connect import Connection

_AT_END = 10.0  # seconds to wait for a collector at the end


class Sent(NamedTuple):
    """Where lines go, what sends them, and where they wait."""

    url: str
    lines: LineSender
    queue: Exporter[Line]


@contextmanager
def sending(
    otlp: str | None, connection: Connection, terminal: Terminal, *, alone: bool
) -> Iterator[Sent | None]:
    """Yield what sends lines to the collector *otlp*; None if none is to be sent.

    It is *alone* if nothing is recorded to a file.

    Raises UsageError if the collector's URL or OTEL_* is invalid; Exit if lines were
    not delivered, and there is no other error.
    """
    if otlp is None:
        yield None
        return
    # The import of OpenTelemetry is slow, and needed only to send.
    from kubectl_spy.extras.otel.exporter import open_line_exporter
    from kubectl_spy.extras.otel.otel_env import disabled

    if disabled(os.environ):
        if alone:
            raise UsageError(
                "OTEL_SDK_DISABLED is true: nothing is sent", "add -f FILE"
            )
        terminal.say("OTEL_SDK_DISABLED is true: no lines are sent")
        yield None
        return
    exporter = open_line_exporter(
        otlp,
        cluster_uid=_cluster_uid(connection),
        say=terminal.say,
        environ=os.environ,
    )
    from kubectl_spy.extras.otel.lines import LineSender

    try:
        yield Sent(exporter.url, LineSender(exporter.send), exporter)
    except click.exceptions.Exit as end:
        lost = exporter.close(_AT_END)
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
