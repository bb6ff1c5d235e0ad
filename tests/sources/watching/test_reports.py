"""What a watch reports of itself tells one that lives from one that hangs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kubectl_spy.cli.run.monitoring import HUNG, Monitor
from kubectl_spy.sources.watching.actions import Pace
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE, wait_until
from tests.sources.watching.following import Following, connection_to, following

SOON = Pace(first_wait=0.05, longest_wait=0.1, short_watch=0.1, overdue_after=0.2)


class Link:
    """Carries connections to *target*. While it hangs, it takes all and passes none."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        assert parts.hostname and parts.port
        self._target = parts.hostname, parts.port
        self._passes = threading.Event()
        self._passes.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def hang(self) -> None:
        self._passes.clear()

    def mend(self) -> None:
        self._passes.set()

    def close(self) -> None:
        self._passes.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._target)
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while block := one.recv(1 << 16):
                self._passes.wait()
                other.sendall(block)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        one.close()


@pytest.fixture
def link() -> Iterator[Link]:
    with ApiServer(bookmark_interval=0.1) as server:
        link = Link(server.url)
        yield link
        link.close()


def trouble(seen: Following) -> str:
    (report,) = seen.watch.reports()
    return report.trouble


def test_a_watch_that_hangs_is_in_trouble_until_it_lives_again(
    link: Link, tmp_path: Path
) -> None:
    link.hang()
    connection = connection_to(link.url, tmp_path)
    with following(connection, read_timeout=1.0, pace=SOON) as seen:
        monitor = Monitor()
        assert monitor.unready() == "the recorder starts"
        monitor.follow(seen.watch, None, None)
        assert monitor.unready() == "configmaps: not listed yet"
        link.mend()
        wait_until(lambda: monitor.unready() == "", monitor.unready)
        contact = seen.watch.reports()[0].contact
        wait_until(lambda: seen.watch.reports()[0].contact > contact)  # a bookmark
        for _ in range(2):
            link.hang()
            wait_until(lambda: monitor.unready() != "")
            assert monitor.unready().startswith("configmaps: ")
            # A restart would mend nothing.
            assert monitor.hung(time.monotonic()) == ""
            silent = seen.watch.reports()[0].contact
            time.sleep(0.5)
            assert seen.watch.reports()[0].contact == silent
            link.mend()
            wait_until(lambda: monitor.unready() == "", monitor.unready)


def test_a_run_loop_that_takes_nothing_in_hangs(link: Link, tmp_path: Path) -> None:
    with following(connection_to(link.url, tmp_path), pace=SOON) as seen:
        monitor = Monitor()
        monitor.follow(seen.watch, None, None)
        wait_until(lambda: monitor.unready() == "", monitor.unready)
        turned = seen.watch.turned
        wait_until(lambda: seen.watch.turned > turned)  # without any event
        seen.pause()
        seen.watch.wake()
        assert seen.stands_still.wait(PATIENCE)
        turned = seen.watch.turned
        assert monitor.hung(turned + HUNG) == ""
        took = HUNG + 1
        assert monitor.hung(turned + took) == f"the recorder has hung for {took:.0f} s"
        # A loop that writes all objects in whole takes nothing in meanwhile.
        wait_until(lambda: time.monotonic() > turned + 2)
        for kind, hangs in (("RECONNECT", True), ("SNAPSHOT", False)):
            now = time.monotonic()
            monitor.count(0.0, {"type": kind}, b"")
            assert bool(monitor.hung(now + HUNG - 1)) == hangs
        seen.resume()
        wait_until(lambda: seen.watch.turned > turned)
