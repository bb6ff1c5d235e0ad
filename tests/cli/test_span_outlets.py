"""Spans on their way to a collector, and to a page."""

from __future__ import annotations

import re
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_spy.demo.server import ApiServer
from tests.cli.command import PATIENCE, Spy
from tests.cli.test_spans import begun, scaled, spans_in
from tests.sinks.receiver import receiving

Serve = Callable[..., ApiServer]


@pytest.fixture
def recording(spy: Spy, serve: Serve, tmp_path: Path) -> str:
    """A recording of a ReplicaSet that is scaled."""
    server = begun(serve)
    file = str(tmp_path / "web.spy")
    with spy.running("spans", "rs/web", "-o", "json", "--record", file) as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        with spy.running("changes", "pod/web-01") as changes:
            changes.wait_until(
                lambda it: b'"Ready"' in it.stdout or b"ready" in it.stdout
            )
        running.end()
    return file


def test_a_collector_gets_what_json_has(spy: Spy, recording: str) -> None:
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "-o", "json")
        ended = spy.run("spans", "--from", recording, *flags)
    assert ended.code == 0, ended.err
    told = {(each["traceId"], each["spanId"]) for each in spans_in(ended.out)}
    got = {(span.trace_id.hex(), span.span_id.hex()) for _, span in receiver.spans()}
    assert told == got and told
    assert f"sending spans to {receiver.url}" in ended.err


def test_a_live_watch_sends_as_spans_end_and_the_rest_at_the_end(
    spy: Spy, serve: Serve
) -> None:
    server = begun(serve)
    with (
        receiving() as receiver,
        spy.running("spans", "rs/web", "--otlp", receiver.url) as running,
    ):
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        ended = running.end()
    assert ended.code == 130
    assert any(name.startswith("ReplicaSet.") for name in receiver.names())


def test_a_collector_that_is_down_is_told_of_and_keeps_nobody(
    spy: Spy, recording: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    flags = ("--otlp", f"http://127.0.0.1:{port}/?token=secret")
    ended = spy.run("spans", "--from", recording, *flags)
    assert (ended.code, "secret" in ended.err) == (0, False)
    assert "ReplicaSet" in ended.out
    assert re.search(r"\d+ spans? ", ended.err.splitlines()[-1])
    assert ended.took < 20


def test_a_page_is_written_for_its_owner_alone(
    spy: Spy, recording: str, tmp_path: Path
) -> None:
    page = tmp_path / "rollout.html"
    ended = spy.run("spans", "--from", recording, "--html", str(page))
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[-1] == f"wrote {page}"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text()
    assert "Content-Security-Policy" in text and "web-01" in text


@pytest.mark.parametrize("where", ["", "missing/page.html"])
def test_a_page_that_cannot_be_is_known_at_once(
    spy: Spy, recording: str, tmp_path: Path, where: str
) -> None:
    ended = spy.run("spans", "--from", recording, "--html", str(tmp_path / where))
    assert (ended.code, ended.out) == (2, "")
    assert len([line for line in ended.err.splitlines() if "error" in line]) == 1
