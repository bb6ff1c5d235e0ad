"""Send spans or lines to a collector from a thread: a watch never waits for it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from kubectl_spy.core.wording import many
from kubectl_spy.extras.otel.otel_env import Signal, check, endpoint
from kubectl_spy.http.urls import printed
from kubectl_spy.sinks.delivery import Backlog

if TYPE_CHECKING:
    from kubectl_spy.extras.otel.http_collector import HttpCollector, Outcome

T = TypeVar("T")
_T_contra = TypeVar("_T_contra", contravariant=True)

_BATCH = 512  # items in one request, as in OpenTelemetry's own batches
_BATCH_WEIGHT = 2 << 20  # bytes of a request, about; collectors refuse more than 4 MiB
_GATHER = 0.5  # seconds to wait for more items: they arrive one by one


class Encoder(Protocol[_T_contra]):
    """Turns what is queued into what the SDK sends."""

    def encode(self, item: _T_contra, until: float) -> Any:
        """Return the SDK's span or log record. An unfinished span ends at *until*."""

    def weight(self, item: _T_contra) -> int:
        """Return about how many bytes *item* takes, in memory or in a request."""


class Outbox(Generic[T]):
    """A bounded queue whose writer never waits: new items push out the oldest."""

    def __init__(self, weigh: Callable[[T], int], *, most: int, heaviest: int) -> None:
        self._weigh = weigh
        self._most = most
        self._heaviest = heaviest
        self._waiting: deque[tuple[T, int, float]] = deque()  # and when it was put in
        self._taken: list[tuple[T, int, float]] = []  # by the last `take`
        self._weight = 0
        self._changed = threading.Condition()
        self._closed = False
        self.put_in = 0  # how many items were put in
        self.dropped = 0  # how many were pushed out

    def put(self, items: Iterable[T]) -> None:
        now = time.monotonic()
        weighed = [(item, self._weigh(item)) for item in items]
        with self._changed:
            for item, heavy in weighed:
                self._waiting.append((item, heavy, now))
                self._weight += heavy
                self.put_in += 1
                while len(self._waiting) > self._most or self._weight > self._heaviest:
                    self._weight -= self._waiting.popleft()[1]
                    self.dropped += 1
            self._changed.notify_all()

    def take(self) -> list[T]:
        """Return the next items to send, in order; [] when closed and empty.

        Waits for an item, and then a little for more.
        """
        with self._changed:
            self._taken = []
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._changed.wait_for(
                lambda: len(self._waiting) >= _BATCH or self._closed,
                _GATHER,
            )
            total = 0
            while self._waiting and len(self._taken) < _BATCH:
                heavy = self._waiting[0][1]
                if self._taken and total + heavy > _BATCH_WEIGHT:
                    break
                self._taken.append(self._waiting.popleft())
                total += heavy
            self._weight -= total
            return [item for item, _, _ in self._taken]

    @property
    def backlog(self) -> Backlog:
        """What waits, and what the last `take` returned until the next."""
        with self._changed:
            count = len(self._taken) + len(self._waiting)
            weight = self._weight + sum(heavy for _, heavy, _ in self._taken)
            oldest = (self._taken or self._waiting)[0][2] if count else math.inf
        return Backlog(count, weight, max(0.0, time.monotonic() - oldest))

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def close(self) -> None:
        """Let `take` return the rest without waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


_MOST = 50_000  # items that wait for a collector that is down
_HEAVIEST = 64 << 20  # their bytes, about
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_RETRY_AFTER = 60.0
_REASONS = 20  # messages of the collector that are remembered, to say each of them once


class Exporter(Generic[T]):
    """Sends items in order, from one thread.

    That thread calls *say* when the collector cannot be reached, answers again, or
    refuses items. `send` calls it when the first of them is dropped.
    """

    def __init__(
        self,
        collector: HttpCollector,
        encoder: Encoder[T],
        *,
        say: Callable[[str], None],
        most: int = _MOST,
        heaviest: int = _HEAVIEST,
    ) -> None:
        self.url = printed(collector.url)  # where items go, without credentials
        self._collector = collector
        self._encoder = encoder
        self._noun = collector.signal.noun
        self._say = say
        self.outbox = Outbox(encoder.weight, most=most, heaviest=heaviest)
        self._until = 0.0
        self.delivered = self.refused = 0
        self.settled: Callable[[T], None] = lambda item: None
        """Called with the last item of those that were delivered or refused."""
        self._down = False
        self._dropped = 0  # how many dropped items were reported
        self._reasons: list[str] = []
        self._closing = threading.Event()
        self._given_up = threading.Event()
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self._thread.start()

    def send(self, items: Iterable[T], *, until: float = 0.0) -> None:
        """Queue *items*. Returns at once, whatever the collector does.

        An unfinished span ends at *until*, the latest known time, and gets the
        attribute `kubectl_spy.unfinished`. Most collectors keep both copies of a span
        that is sent twice: send it when it is over, or at the end.
        """
        self._until = max(self._until, until)
        before = self.outbox.dropped
        self.outbox.put(items)
        if before == self._dropped < self.outbox.dropped:
            self._say(
                f"too many {self._noun}s wait for {self.url}: the oldest are dropped"
            )

    def close(self, within: float) -> int:
        """Send the rest for at most *within* seconds. Return how many items are lost.

        A collector that is down is tried until then. The first call says what is lost.
        """
        closed = self._closing.is_set()
        try:
            self._deadline = time.monotonic() + within
            self._closing.set()
            self.outbox.close()
            self._thread.join(within)
        finally:  # a second Ctrl-C ends the wait; the losses are still reported
            self._given_up.set()
            if not closed and not self._thread.is_alive():
                self._collector.close()
            lost = self.outbox.put_in - self.delivered
            if lost and not closed:
                self._say(self._summary(lost))
        return lost

    def _summary(self, lost: int) -> str:
        parts = {
            "dropped because too many waited": self.outbox.dropped,
            "refused": self.refused,
            "without an answer at the end": lost - self.outbox.dropped - self.refused,
        }
        why = ", ".join(f"{count} {what}" for what, count in parts.items() if count > 0)
        total = self.outbox.put_in
        what = f"{lost} of {total} {self._noun}s"
        return f"{what} were not delivered to {self.url}: {why}"

    def _run(self) -> None:
        while batch := self.outbox.take():
            if not self._deliver(batch):
                return
            self.settled(batch[-1])

    def _deliver(self, batch: list[T]) -> bool:
        """Send *batch* until it is delivered or refused; False if time is over."""
        try:
            encoded = [self._encoder.encode(item, self._until) for item in batch]
        except (ValueError, TypeError, OverflowError):  # its text may hold an item
            from kubectl_spy.extras.otel.http_collector import Outcome

            self._note(Outcome("they cannot be encoded"), len(batch))
            return True
        wait = _FIRST_WAIT
        while True:
            outcome = self._collector.send(encoded)
            if self._given_up.is_set():
                return False
            if outcome.too_large and len(batch) > 1:
                half = len(batch) // 2
                return self._deliver(batch[:half]) and self._deliver(batch[half:])
            if not outcome.again:
                self._note(outcome, len(batch))
                return True
            if not self._down:
                self._down = True
                self._say(
                    f"cannot deliver {self._noun}s to {self.url}: {outcome.reason};"
                    " they are kept, and sent when it answers"
                )
            closing = self._closing.is_set()
            if closing:  # there may be no time for a longer wait
                wait = _FIRST_WAIT
            pause = wait * Random().uniform(0.5, 1.0)  # clients must not come at once
            if outcome.after is not None:
                pause = max(pause, min(outcome.after, _LONGEST_RETRY_AFTER))
            if not closing:
                self._closing.wait(pause)
            elif pause < self._deadline - time.monotonic():
                self._given_up.wait(pause)
            else:
                return False
            wait = min(2 * wait, _LONGEST_WAIT)

    def _note(self, outcome: Outcome, count: int) -> None:
        """Count what became of *count* items, and say what the collector says."""
        if self._down:
            self._down = False
            if not self._given_up.is_set():
                self._say(f"{self.url} answers again")
        missed = self.outbox.dropped - self._dropped
        if missed and self.outbox.is_empty:
            self._dropped += missed
            self._say(f"{many(missed, self._noun)} dropped: too many waited")
        refused = min(outcome.refused or count, count) if outcome.reason else 0
        self.refused += refused
        self.delivered += count - refused
        message = outcome.reason or outcome.note
        if not message or message in self._reasons:
            return
        self._reasons = [*self._reasons[1 - _REASONS :], message]
        verb = "says" if outcome.note else f"refuses {self._noun}s"
        if outcome.refused:
            verb = f"rejected {many(refused, self._noun)}"
        self._say(f"{self.url} {verb}: {message}")


def open_exporter(
    url: str,
    signal: Signal,
    encoder: Callable[[], Encoder[T]],
    *,
    say: Callable[[str], None],
    environ: Mapping[str, str],
    most: int = _MOST,
    heaviest: int = _HEAVIEST,
) -> Exporter[T]:
    """Return an exporter to *url*, or with "" to where the environment says.

    *encoder* is called once the environment was checked: it imports OpenTelemetry. At
    most *most* items of *heaviest* bytes wait. Raises UsageError if the URL or
    OTEL_EXPORTER_OTLP_* is invalid.
    """
    whole = endpoint(url, environ, signal)
    check(environ, signal)
    # opentelemetry takes as long to import as everything else but kubernetes.
    from kubectl_spy.extras.otel.http_collector import HttpCollector

    collector = HttpCollector(whole, environ, signal)
    return Exporter(collector, encoder(), say=say, most=most, heaviest=heaviest)
