"""What a collector of spans is asked, and what it answers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

LONGEST_MESSAGE = 200
"""Characters of a collector's message that are repeated."""


class Outcome(NamedTuple):
    """The outcome of one request."""

    reason: str = ""
    """Why it failed; inert, and without credentials."""
    again: bool = False
    """Whether the same request may succeed later."""
    after: float | None = None
    """Seconds to wait before that, if the collector asked for it."""
    refused: int = 0
    """How many spans the collector rejected, if it accepted others."""
    note: str = ""
    """A warning of a collector that accepted all spans; inert."""


class Collector(Protocol):
    """The far end of one protocol: `http_collector` or `grpc_collector`."""

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return its outcome. Never raises."""

    def close(self) -> None:
        """Close the connection."""


def partial_outcome(partial: Any) -> Outcome:
    """Return the outcome that an ExportTracePartialSuccess reports.

    It may reject no spans, and only warn.
    https://opentelemetry.io/docs/specs/otlp/#partial-success-1
    """
    message = inert(partial.error_message[:LONGEST_MESSAGE])
    if partial.rejected_spans <= 0:
        return Outcome(note=message)
    return Outcome(message or "no reason given", refused=partial.rejected_spans)


def silence(*names: str) -> None:
    """Keep the loggers with *names* off the terminal.

    They log headers that they cannot parse, and whole URLs.
    """
    for name in names:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
