"""What came of a request to a collector."""

from __future__ import annotations

from typing import NamedTuple


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
