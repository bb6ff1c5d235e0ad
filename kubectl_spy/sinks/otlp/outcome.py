"""What came of a request to a collector."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubectl_spy.render.inert import inert

LONGEST_MESSAGE = 200
"""Characters of what a collector says that are repeated."""


class Outcome(NamedTuple):
    """What came of a request."""

    reason: str = ""
    """Why it failed; harmless to terminals and without credentials."""
    again: bool = False
    """Whether the same may succeed later."""
    after: float | None = None
    """Seconds to wait before that, if the collector said."""
    refused: int = 0
    """How many of the spans the collector did not take, if it took others."""
    note: str = ""
    """What the collector says though it took all; as harmless."""


def told(partial: Any) -> Outcome:
    """Return what an ExportTracePartialSuccess says; it may reject none, and warn.

    https://opentelemetry.io/docs/specs/otlp/#partial-success-1
    """
    message = inert(partial.error_message[:LONGEST_MESSAGE])
    if partial.rejected_spans <= 0:
        return Outcome(note=message)
    return Outcome(message or "no reason given", refused=partial.rejected_spans)
