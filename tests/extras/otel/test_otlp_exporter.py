"""Collectors that are down, slow, unwilling or gone, and what is said about it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from kubectl_spy.extras.otel.exporter import Exporter
from kubectl_spy.extras.otel.http_collector import HttpCollector
from kubectl_spy.extras.otel.otel_env import TRACES
from kubectl_spy.extras.spans.encoding import Encoding
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.extras.spans.view import open_span_exporter
from tests.answering import Answer, unanswered
from tests.extras.otel.receiver import PROTOBUF, UNTIL, receiving
from tests.processes import PATIENCE, clock, wait_until
from tests.spans import span


@contextmanager
def exporting(url: str) -> Iterator[tuple[Exporter[Span], list[str]]]:
    """Give an exporter, and what it says."""
    lines: list[str] = []
    exporter = open_span_exporter(url, say=lines.append, environ=os.environ)
    try:
        yield exporter, lines
    finally:
        exporter.close(0)


def wait_for(lines: list[str], count: int) -> None:
    wait_until(lambda: len(lines) >= count, lambda: lines)


def test_spans_wait_for_a_collector_that_is_down() -> None:
    with (
        unanswered() as port,
        exporting(f"http://127.0.0.1:{port}") as (exporter, lines),
    ):
        exporter.send([span(1)], until=UNTIL)
        wait_for(lines, 1)
        exporter.send([span(2)], until=UNTIL)
        with receiving(port=port) as receiver:
            receiver.wait_for(2)
            assert exporter.close(PATIENCE) == 0
        assert receiver.names() == ["Pod.Phase1", "Pod.Phase2"]
    url = f"http://127.0.0.1:{port}/v1/traces"
    assert lines == [
        f"cannot deliver spans to {url}: connection refused; "
        "they are kept, and sent when it answers",
        f"{url} answers again",
    ]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retry_after_is_obeyed(status: int) -> None:
    answer = Answer(status, {"Retry-After": "1"}, b"")
    with receiving(answer, Answer()) as receiver:
        with exporting(receiver.url) as (exporter, lines):
            exporter.send([span()], until=UNTIL)
            assert exporter.close(PATIENCE) == 0
        first, second = receiver.requests
        assert second.when - first.when > 0.95
    assert str(status) in lines[0] and "answers again" in lines[1]


def test_a_retry_after_beyond_the_end_is_not_waited_for() -> None:
    with (
        receiving(Answer(503, {"Retry-After": "86400"}, b"")) as receiver,
        exporting(receiver.url) as (exporter, lines),
    ):
        exporter.send([span()], until=UNTIL)
        begun = clock()
        assert exporter.close(5) == 1
        assert clock() - begun < 3
    assert lines[-1].startswith("1 of 1 spans were not delivered to http://127.0.0.1:")


@pytest.mark.parametrize("status", [302, 400, 401, 404, 413, 500])
def test_refused_spans_are_not_sent_again_and_later_ones_are_sent(status: int) -> None:
    refusal = Answer(status, {"Location": "/elsewhere"}, b"a secret")
    with receiving(refusal, Answer()) as receiver:
        with exporting(receiver.url) as (exporter, lines):
            exporter.send([span(1)], until=UNTIL)
            receiver.wait_for(1)
            exporter.send([span(2)], until=UNTIL)
            assert exporter.close(PATIENCE) == 1
        assert receiver.names() == ["Pod.Phase1", "Pod.Phase2"]
    assert f"refuses spans: {status}" in lines[0]
    assert lines[1].endswith("1 refused")
    assert len(lines) == 2 and "secret" not in "".join(lines)


def test_close_tries_again_soon_after_long_waits() -> None:
    """The collector comes back within the end's seconds."""
    with (
        unanswered() as port,
        exporting(f"http://127.0.0.1:{port}") as (exporter, lines),
    ):
        exporter.send([span()], until=UNTIL)
        wait_for(lines, 1)
        time.sleep(8)  # by now a wait of 4 to 8 seconds is under way
        with ThreadPoolExecutor(1) as pool:
            lost = pool.submit(exporter.close, PATIENCE)
            time.sleep(0.7)  # it has tried once more, in vain
            begun = clock()
            with receiving(port=port) as receiver:
                assert lost.result() == 0
            assert clock() - begun < 3
            assert receiver.names() == ["Pod.Phase1"]
    assert lines[-1].endswith("answers again")


def test_a_collector_that_hangs_delays_nobody() -> None:
    with (
        receiving(Answer(delay=60)) as receiver,
        exporting(receiver.url) as (exporter, lines),
    ):
        exporter.send([span(1)], until=UNTIL)
        receiver.wait_for(1)
        begun = clock()
        for number in range(2000):
            exporter.send([span(number + 2)], until=UNTIL)
        assert clock() - begun < 1
        begun = clock()
        assert exporter.close(0.3) == 2001
        assert clock() - begun < 1
    assert lines == [
        f"2001 of 2001 spans were not delivered to {receiver.url}/v1/traces: "
        "2001 without an answer at the end"
    ]


def test_a_timeout_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.3")
    with receiving(Answer(delay=2), Answer()) as receiver:
        with exporting(receiver.url) as (exporter, lines):
            exporter.send([span()], until=UNTIL)
            assert exporter.close(PATIENCE) == 0
        assert len(receiver.requests) >= 2  # on a slow machine the next is late, too
    assert "no answer in time" in lines[0]


def test_a_slow_collector_gets_all_in_few_requests() -> None:
    with receiving(Answer(delay=0.2)) as receiver:
        with exporting(receiver.url) as (exporter, lines):
            for number in range(1, 1501):
                exporter.send([span(number)], until=UNTIL)
            assert exporter.close(PATIENCE) == 0
        assert len(receiver.spans()) == 1500
        assert len(receiver.requests) <= 4
    assert lines == []


def test_connections_are_used_again_and_replaced_when_closed() -> None:
    closing = Answer(headers={**PROTOBUF, "Connection": "close"})
    with receiving(closing, Answer()) as receiver:
        with exporting(receiver.url) as (exporter, lines):
            for number in range(1, 4):
                exporter.send([span(number)], until=UNTIL)
                receiver.wait_for(number)
            assert exporter.close(PATIENCE) == 0
        assert len(receiver.spans()) == 3
    assert lines == []


@pytest.mark.parametrize(
    ("most", "heaviest"), [(10, 1 << 20), (10_000, 3500)], ids=["number", "weight"]
)
def test_the_oldest_waiting_spans_are_dropped(most: int, heaviest: int) -> None:
    lines: list[str] = []
    with receiving(Answer(delay=0.5), Answer()) as receiver:
        exporter = Exporter(
            HttpCollector(f"{receiver.url}/v1/traces", {}, TRACES),
            Encoding(),
            say=lines.append,
            most=most,
            heaviest=heaviest,
        )
        exporter.send([span(1)], until=UNTIL)
        receiver.wait_for(1)
        exporter.send([span(number) for number in range(2, 102)], until=UNTIL)
        lost = exporter.close(PATIENCE)
        names = receiver.names()
    kept = 101 - lost
    assert lost > 80 and kept > 5
    assert names == [f"Pod.Phase{n}" for n in (1, *range(103 - kept, 102))]
    assert f"{lost} dropped because too many waited" in lines[-1]


def test_close_without_spans_is_quick_and_says_nothing() -> None:
    with (
        unanswered() as port,
        exporting(f"http://127.0.0.1:{port}") as (exporter, lines),
    ):
        begun = clock()
        assert exporter.close(PATIENCE) == 0
        assert clock() - begun < 1
    assert lines == []
