"""Whoever reads us may be slow: nothing is lost, reordered or heaped up meanwhile."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path

import pytest

from kubectl_spy.core.objects import EventType, Selection
from kubectl_spy.sources.watching.answers import PAGE
from kubectl_spy.sources.watching.watch import LiveWatch
from tests import processes
from tests.builders import SECRETS, config_map
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE, wait_until
from tests.sources.watching.following import (
    ALL,
    connection_to,
    following,
    secret,
    unmasked,
)
from tests.sources.watching.raw_server import (
    CHUNKED,
    Script,
    chunk,
    raw_server,
    sending,
    staying,
)
from tests.sources.watching.test_watch_faults import UNREADABLE, error, version

BURST = 20_000
PADDING = "x" * 4_000
"""Makes an event as large as a Pod's."""

FOLLOW = """
import resource, sys
from pathlib import Path
from kubectl_spy.core.changes.history import History
from kubectl_spy.sources.watching.watch import LiveWatch
from tests.sources.watching.following import ALL, connection_to, unmasked

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

url, home, burst = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
watch = LiveWatch(
    connection_to(url, home), [ALL], renew=lambda: None, mask=unmasked, say=print
)
history, before, records = History(), peak(), 0
for events in watch:
    for event in events:
        for record in history.observe(event):
            print(record.resource_version, "." * 80, flush=True)
            records += 1
    if records == burst:
        break
print(peak() - before, file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
def test_a_burst_waits_in_the_server_while_nobody_reads(tmp_path: Path) -> None:
    import tests

    sent = 0
    event = version(3).replace(b"\\u00e9", PADDING.encode())

    def script(client: socket.socket) -> None:
        nonlocal sent
        client.sendall(CHUNKED + chunk(version(2)))
        for number in range(3, BURST + 2):
            numbered = b'"resourceVersion": "%d"' % number
            text = event.replace(b'"resourceVersion": "3"', numbered)
            text = text.replace(b'"number": "3', b'"number": "%d' % number)
            client.sendall(chunk(text))
            sent += 1
        client.recv(1)

    with (
        raw_server(script) as server,
        processes.start(
            [sys.executable, "-c", FOLLOW, server.url, str(tmp_path), str(BURST)],
            cwd=Path(tests.__file__).parents[1],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as follower,
    ):
        assert follower.stdout is not None and follower.stderr is not None
        numbers = [int(follower.stdout.readline().split()[0])]
        before = -1
        while before != sent:
            before = sent
            time.sleep(0.5)
        held_back = sent
        numbers += [int(line.split()[0]) for line in follower.stdout]
        grown = int(follower.stderr.read())
    assert held_back < BURST // 2
    assert numbers == list(range(2, BURST + 2))
    assert grown < 40  # of the 80 MB that were sent


def burst(*last: bytes) -> list[bytes]:
    """Return a watch of 100 versions, and what comes behind them."""
    versions = [chunk(version(number)) for number in range(2, 102)]
    return [CHUNKED, *versions, *map(chunk, last)]


@pytest.mark.parametrize(
    "script",
    [
        sending(*burst(), b"0\r\n\r\n"),
        sending(*burst()),
        sending(*burst(error(500))),
        sending(*burst(UNREADABLE[0])),
    ],
    ids=["its end", "a cut", "an error", "a cut within a line"],
)
def test_a_stream_is_resumed_while_nobody_reads(tmp_path: Path, script: Script) -> None:
    """Its history may be gone by the time that somebody does."""
    again = sending(CHUNKED, chunk(version(102)))
    with raw_server(script, again) as server:
        connection = connection_to(server.url, tmp_path)
        with following(connection) as seen:
            seen.pause()
            wait_until(lambda: len(server.watched_from) >= 2)
            resumed = server.watched_from[1:2]
            seen.resume()
            seen.wait_for_records(101)
    assert resumed == ["101"]
    numbers = [int(each.resource_version) for each in seen.records]
    assert numbers == list(range(2, 103))


def test_an_error_that_is_read_late_ends_a_stream_that_stays(tmp_path: Path) -> None:
    script = staying(*burst(error(500)))
    with raw_server(script, staying(CHUNKED, chunk(version(102)))) as server:
        connection = connection_to(server.url, tmp_path)
        with following(connection, read_timeout=10 * PATIENCE) as seen:
            seen.pause()
            assert seen.stands_still.wait(PATIENCE)
            time.sleep(0.5)  # for all of it to arrive
            seen.resume()
            seen.wait_for_records(101)
    assert server.watched_from[:2] == ["1", "101"]


def test_pages_of_several_lists_are_unpacked_in_turn(tmp_path: Path) -> None:
    """Parsed, a page takes ten times its bytes: there is to be one, not one a type."""
    secrets = Selection(resource=SECRETS, namespace="shop")
    with ApiServer() as server:
        for number in range(2 * PAGE):
            server.put(config_map(f"map-{number}"))
            named = {"name": f"secret-{number}", "namespace": "shop"}
            server.put({**secret(), "metadata": named})
        watch = LiveWatch(
            connection_to(server.url, tmp_path),
            [ALL, secrets],
            renew=lambda: None,
            mask=unmasked,
            say=print,
        )
        listed: list[str] = []
        for events in watch:
            time.sleep(0.02)  # both threads wait for us, again and again
            listed += [
                each.selection.resource.plural
                for each in events
                if each.type is EventType.LISTED
            ]
            if len(listed) == 4 * PAGE:
                break
        watch.close()
    pages = [len(list(page)) for _, page in groupby(listed)]
    assert sum(pages) == 4 * PAGE
    assert all(length % PAGE == 0 for length in pages)
