"""Send spans to a collector from a thread, so that a watch never waits for it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import TYPE_CHECKING

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.spans.span import Span
from kubectl_spy.core.wording import many
from kubectl_spy.sinks.otlp.otel_env import check, endpoint, printed

_BATCH = 512  # spans in one request, as in OpenTelemetry's own batches
_BATCH_WEIGHT = 2 << 20  # bytes of a request, about; collectors refuse more than 4 MiB
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


if TYPE_CHECKING:
    from kubectl_spy.sinks.otlp.encoding import Encoding
    from kubectl_spy.sinks.otlp.http_collector import HttpCollector, Outcome

_MOST = 50_000  # spans that wait for a collector that is down
_HEAVIEST = 64 << 20  # their bytes, about
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_RETRY_AFTER = 60.0
_REASONS = 20  # messages of the collector that are remembered, to say each of them once


class SpanExporter:
    """Sends spans in order, from one thread.

    That thread calls *say* when the collector cannot be reached, answers again, or
    refuses spans.
    """

    def __init__(
        self,
        collector: HttpCollector,
        encoding: Encoding,
        *,
        url: str,
        say: Callable[[str], None],
        most: int = _MOST,
        heaviest: int = _HEAVIEST,
    ) -> None:
        self.url = printed(url)  # where spans go, without credentials
        self._collector = collector
        self._encoding = encoding
        self._say = say
        self._outbox = Outbox(most=most, heaviest=heaviest)
        self._until = 0.0
        self._delivered = self._refused = 0
        self._down = False
        self._reasons: list[str] = []
        self._closing = threading.Event()
        self._given_up = threading.Event()
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self._thread.start()

    def send(self, spans: Iterable[Span], *, until: float) -> None:
        """Queue *spans*. Returns at once, whatever the collector does.

        An unfinished span ends at *until*, the latest known time, and gets the
        attribute `kubectl_spy.unfinished`. Most collectors keep both copies of a span
        that is sent twice: send it when it is over, or at the end.
        """
        self._until = max(self._until, until)
        self._outbox.put(spans)

    def close(self, within: float) -> int:
        """Send the rest for at most *within* seconds. Return how many spans are lost.

        A collector that is down is tried until then. The first call says what is lost.
        """
        closed = self._closing.is_set()
        self._deadline = time.monotonic() + within
        self._closing.set()
        self._outbox.close()
        try:
            self._thread.join(within)
        finally:  # a second Ctrl-C ends the wait; the losses are still reported
            self._given_up.set()
            if not closed and not self._thread.is_alive():
                self._collector.close()
            lost = self._outbox.put_in - self._delivered
            if lost and not closed:
                self._say(self._summary(lost))
        return lost

    def _summary(self, lost: int) -> str:
        parts = {
            "dropped because too many waited": self._outbox.dropped,
            "refused": self._refused,
            "without an answer at the end": lost - self._outbox.dropped - self._refused,
        }
        why = ", ".join(f"{count} {what}" for what, count in parts.items() if count > 0)
        total = self._outbox.put_in
        return f"{lost} of {total} spans were not delivered to {self.url}: {why}"

    def _run(self) -> None:
        while batch := self._outbox.take():
            if not self._deliver(batch):
                return

    def _deliver(self, batch: list[Span]) -> bool:
        """Send *batch* until it is delivered or refused; False if time is over."""
        try:
            encoded = [self._encoding.encode(span, self._until) for span in batch]
        except (ValueError, TypeError) as error:  # the thread must go on
            from kubectl_spy.sinks.otlp.http_collector import Outcome

            self._note(Outcome(f"they cannot be encoded: {error}"), len(batch))
            return True
        wait = _FIRST_WAIT
        while True:
            outcome = self._collector.send(encoded)
            if self._given_up.is_set():
                return False
            if not outcome.again:
                self._note(outcome, len(batch))
                return True
            if not self._down:
                self._down = True
                self._say(
                    f"cannot deliver spans to {self.url}: {outcome.reason};"
                    " they are kept, and sent when it answers"
                )
            closing = self._closing.is_set()
            if closing:  # there may be no time for a longer wait
                wait = _FIRST_WAIT
            pause = wait * Random().uniform(0.5, 1.0)  # clients must not come at once
            if outcome.after is not None:
                pause = min(outcome.after, _LONGEST_RETRY_AFTER)
            if not closing:
                self._closing.wait(pause)
            elif pause < self._deadline - time.monotonic():
                self._given_up.wait(pause)
            else:
                return False
            wait = min(2 * wait, _LONGEST_WAIT)

    def _note(self, outcome: Outcome, count: int) -> None:
        """Count what became of *count* spans, and say what the collector says."""
        if self._down:
            self._down = False
            if not self._given_up.is_set():
                self._say(f"{self.url} answers again")
        refused = min(outcome.refused or count, count) if outcome.reason else 0
        self._refused += refused
        self._delivered += count - refused
        message = outcome.reason or outcome.note
        if not message or message in self._reasons:
            return
        self._reasons = [*self._reasons[1 - _REASONS :], message]
        verb = "says" if outcome.note else "refuses spans"
        if outcome.refused:
            verb = f"rejected {many(refused, 'span')}"
        self._say(f"{self.url} {verb}: {message}")


def open_exporter(
    url: str, *, say: Callable[[str], None], environ: Mapping[str, str]
) -> SpanExporter:
    """Return an exporter to *url*, or with "" to where the environment says.

    *environ* must be the process's: OpenTelemetry's exporter reads that, too. Raises
    UsageError if the URL or OTEL_EXPORTER_OTLP_* is invalid.
    """
    whole = endpoint(url, environ)
    check(environ)
    # opentelemetry takes as long to import as everything else but kubernetes.
    from kubectl_spy.sinks.otlp.encoding import Encoding
    from kubectl_spy.sinks.otlp.http_collector import HttpCollector

    return SpanExporter(HttpCollector(whole, environ), Encoding(), url=whole, say=say)
