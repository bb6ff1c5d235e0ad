"""Sends spans to a collector, and never lets a watch wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Protocol

from kubectl_spy.core.spans.span import Span
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.otlp.endpoint import endpoint, printed, speaks_grpc
from kubectl_spy.sinks.otlp.outbox import Outbox
from kubectl_spy.sinks.otlp.outcome import Outcome
from kubectl_spy.sinks.otlp.surroundings import check

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from kubectl_spy.sinks.otlp.encoding import Encoding

MOST = 50_000
"""Spans that wait for a collector that is down, at most."""
HEAVIEST = 64 << 20
"""Bytes of them, about, at most."""
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_OBEYED = 60.0
"""Seconds of a Retry-After that are waited for at most."""


class Collector(Protocol):
    """Where one request goes: `collector` and `grpc_collector`."""

    def send(self, spans: Sequence[ReadableSpan]) -> Outcome:
        """Send *spans* in one request, and return what came of it."""

    def close(self) -> None:
        """Let go of the connection."""


class SpanExporter:
    """One thread that sends what it is given, in order, to a collector.

    *say* is called from that thread, once for each turn of fortune: the collector
    cannot be reached, is back, or refuses spans.
    """

    def __init__(
        self,
        collector: Collector,
        encoding: Encoding,
        *,
        url: str,
        say: Callable[[str], None],
        most: int = MOST,
        heaviest: int = HEAVIEST,
    ) -> None:
        self.url = printed(url)
        """Where spans go, as it may be shown."""
        self._collector = collector
        self._encoding = encoding
        self._say = say
        self._outbox = Outbox(most=most, heaviest=heaviest)
        self._until = 0.0
        self._delivered = self._refused = 0
        self._down = ""
        self._reasons: set[str] = set()
        self._closing = threading.Event()
        self._given_up = threading.Event()
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self._thread.start()

    def send(self, spans: Iterable[Span], *, until: float) -> None:
        """Have *spans* sent soon. Returns at once, whatever the collector does.

        Those that are not over end at *until*, the last moment known of, and carry
        the attribute `kubectl_spy.unfinished`. A span that is sent again replaces
        nothing at most collectors: send it when it is over, or at the end.
        """
        self._until = max(self._until, until)
        self._outbox.put(spans)

    def close(self, within: float) -> int:
        """Send what is left, for *within* seconds at most; return how many are lost.

        A collector that is down is tried until then: what is behind a recording's end
        may take a while, whoever pressed Ctrl-C wants it short. What was not delivered
        is said in one line, once.
        """
        closed = self._closing.is_set()
        self._deadline = time.monotonic() + within
        self._closing.set()
        self._outbox.close()
        try:
            self._thread.join(within)
        finally:  # a second Ctrl-C ends the wait, and must not hide what is lost
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
        except (ValueError, TypeError) as error:  # must not end the thread unheard
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
                self._down = outcome.reason
                self._say(
                    f"cannot deliver spans to {self.url}: {outcome.reason};"
                    " they are kept, and sent when it answers"
                )
            closing = self._closing.is_set()
            if closing:  # there may be no time for waits that have grown
                wait = _FIRST_WAIT
            pause = wait * Random().uniform(0.5, 1.0)  # or all of a fleet come at once
            if outcome.after is not None:
                pause = min(outcome.after, _LONGEST_OBEYED)
            if not closing:
                self._closing.wait(pause)  # the end cuts it short
            elif pause < self._deadline - time.monotonic():
                self._given_up.wait(pause)
            else:
                return False
            wait = min(2 * wait, _LONGEST_WAIT)

    def _note(self, outcome: Outcome, count: int) -> None:
        if self._down:
            self._down = ""
            if not self._given_up.is_set():
                self._say(f"{self.url} answers again")
        refused = (outcome.refused or count) if outcome.reason else 0
        refused = min(refused, count)
        self._refused += refused
        self._delivered += count - refused
        said = outcome.reason or outcome.note
        if said and said not in self._reasons:
            self._reasons = {*list(self._reasons)[:20], said}
            verb = "says" if outcome.note else "refuses spans"
            if outcome.refused:
                verb = f"rejected {refused} span{'s' * (refused != 1)}"
            self._say(f"{self.url} {verb}: {said}")


def open_exporter(
    url: str, *, say: Callable[[str], None], environ: Mapping[str, str]
) -> SpanExporter:
    """Return an exporter to *url*; "" is where the environment says.


    *environ* is the process's: OpenTelemetry's exporter reads that anyway.

    Raises:
        UsageError: there is no such place, or OTEL_EXPORTER_OTLP_* means nothing.
    """
    whole = endpoint(url, environ)
    check(environ)
    # opentelemetry takes as long to import as all of the rest without kubernetes.
    from kubectl_spy.sinks.otlp.encoding import Encoding

    connect = _connect_grpc if speaks_grpc(environ) else _connect
    return SpanExporter(connect(whole, environ), Encoding(), url=whole, say=say)


def _connect(url: str, environ: Mapping[str, str]) -> Collector:
    from kubectl_spy.sinks.otlp.collector import HttpCollector

    return HttpCollector(url, environ)


def _connect_grpc(url: str, environ: Mapping[str, str]) -> Collector:
    try:
        from kubectl_spy.sinks.otlp.grpc_collector import GrpcCollector
    except ImportError:
        raise UsageError(
            "OTEL_EXPORTER_OTLP_PROTOCOL asks for gRPC, which is not installed",
            "pip install 'kubectl-spy[grpc]', or unset it",
        ) from None
    return GrpcCollector(url, environ)
