"""Spans that wait to be sent: bounded in number and in memory."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.spans.span import Span

_BATCH = 512  # spans in one request, as in OpenTelemetry's own batches
_BATCH_WEIGHT = 2 << 20
"""Bytes in one request, about: collectors begin to refuse at 4 MiB."""
_GATHER = 0.5  # seconds to wait for more spans: they arrive one by one
_BARE = 300  # bytes of a span without attributes, about


class Outbox:
    """A bounded queue whose writer never waits: new spans push out the oldest."""

    def __init__(self, *, most: int, heaviest: int) -> None:
        self._most = most
        self._heaviest = heaviest
        self._waiting: deque[tuple[Span, int]] = deque()
        self._weight = 0
        self._changed = threading.Condition()
        self._closed = False
        self.put_in = 0  # how many spans were put in
        self.dropped = 0  # how many were pushed out

    def put(self, spans: Iterable[Span]) -> None:
        """Add *spans*."""
        weighed = [(span, _weight(span)) for span in spans]
        with self._changed:
            for span, heavy in weighed:
                self._waiting.append((span, heavy))
                self._weight += heavy
                self.put_in += 1
                while len(self._waiting) > self._most or self._weight > self._heaviest:
                    self._weight -= self._waiting.popleft()[1]
                    self.dropped += 1
            self._changed.notify_all()

    def take(self) -> list[Span]:
        """Return the next spans to send, in order; [] when closed and empty.

        Waits for a span, and then a little for more.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            until = time.monotonic() + _GATHER
            self._changed.wait_for(
                lambda: len(self._waiting) >= _BATCH or self._closed,
                max(0.0, until - time.monotonic()),
            )
            batch: list[Span] = []
            total = 0
            while self._waiting and len(batch) < _BATCH:
                span, heavy = self._waiting[0]
                if batch and total + heavy > _BATCH_WEIGHT:
                    break
                self._waiting.popleft()
                batch.append(span)
                total += heavy
            self._weight -= total
            return batch

    def close(self) -> None:
        """Let `take` return the rest without waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _weight(span: Span) -> int:
    """Return about how many bytes *span* takes, in memory or in a request."""
    total = _BARE + len(span.name) + len(span.service) + len(span.error)
    for name, value in span.attributes:
        total += len(name) + 16
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, (list, dict)):
            total += len(dumps(value))
    return total + 64 * len(span.links)
