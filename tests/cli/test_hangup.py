"""The terminal goes away: what was seen is written down first."""

from __future__ import annotations

import os
import select
import signal
import sys
import time

import pytest

from tests import processes
from tests.builders import replica_set
from tests.cli.command import PATIENCE, Spy
from tests.extras.otel.receiver import receiving
from tests.extras.serve.api_server.server import Serve
from tests.extras.spans.test_spans import begun
from tests.processes import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

# A terminal sends SIGHUP to the process whose controlling terminal it is.
CONTROLLED = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_terminal_that_is_closed_ends_spans_with_a_page_and_all_sent(
    spy: Spy, serve: Serve, output: str
) -> None:
    begun(serve)
    page = spy.home / "page.html"
    ours, theirs = os.openpty()
    with receiving() as receiver:
        flags = ["-o", output, "-o", "html", "-f", str(page), "--otlp", receiver.url]
        words = [*spy.command, "spans", "rs/web", *flags]
        process = processes.start(
            [sys.executable, "-c", CONTROLLED, *words],
            env=spy.environ,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        try:
            os.close(theirs)
            shown = b""
            end = time.monotonic() + PATIENCE
            while b"web-00" not in shown:
                assert select.select([ours], [], [], end - time.monotonic())[0], shown
                shown += os.read(ours, 1 << 16)
            os.close(ours)
            assert process.wait(PATIENCE) == 128 + signal.SIGHUP
        finally:
            process.kill()
            process.wait(PATIENCE)
    assert "ReplicaSet.create" in page.read_text()
    assert "ReplicaSet.create" in receiver.names()


def test_a_recording_ends_with_an_end_line(spy: Spy, serve: Serve) -> None:
    server = begun(serve)
    file = spy.home / "web.spy"
    with spy.running("record", "rs/web", "-f", str(file)) as running:
        server.wait_for_watches(1, PATIENCE)
        assert running.end(signal.SIGHUP).code == 0
    assert b'"reason":"hung up"' in file.read_bytes().splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "code"),
    [(("changes", "rs/web", "--record"), 143), (("record", "rs/web", "-f"), 0)],
)
def test_under_nohup_it_goes_on(
    spy: Spy, serve: Serve, words: tuple[str, ...], code: int
) -> None:
    server, file = begun(serve), spy.home / "web.spy"
    spy.command = ("nohup", *spy.command)
    with spy.running(*words, str(file)) as running:
        server.wait_for_watches(1, PATIENCE)
        running.process.send_signal(signal.SIGHUP)
        later = replica_set(1, 1)
        later["metadata"]["labels"] = {"app": "later"}
        server.put(later)
        wait_until(lambda: b"later" in file.read_bytes())
        assert running.process.poll() is None
        assert running.end(signal.SIGTERM).code == code
