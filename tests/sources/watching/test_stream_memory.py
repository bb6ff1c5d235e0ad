"""A stream takes the memory of its longest line, however a server cuts it up."""

from __future__ import annotations

import socket
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.sources.watching.watch_stream import LONGEST, LineSplitter
from tests import processes
from tests.examples import examples
from tests.sources.watching.raw_server import (
    CHUNKED,
    LAST,
    OK,
    Script,
    chunk,
    raw_server,
    sending,
)

MIB = 1 << 20
SENT = 96 * MIB


@pytest.mark.parametrize(("size", "total"), [(2, MIB // 4), (1 << 16, 40 * MIB)])
def test_a_line_takes_memory_for_its_length_up_to_the_limit(
    size: int, total: int
) -> None:
    """Pieces of two bytes would take twenty times as much, were they kept apart."""
    splitter = LineSplitter()
    piece = b"x" * size
    tracemalloc.start()
    try:
        for _ in range(total // size):
            assert splitter.feed(piece) == []
        used, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < min(2 * total, LONGEST)
    assert peak < min(4 * total, 3 * LONGEST)


@given(st.integers(-2, 2), st.lists(st.integers(1, LONGEST), max_size=3))
@examples(25)
def test_the_longest_line_may_be_cut_anywhere(more: int, cuts: list[int]) -> None:
    text = b"x" * (LONGEST + more) + b"\nnext\n"
    splitter, lines, at = LineSplitter(), [], 0
    for cut in (*sorted(cuts), len(text)):
        lines += splitter.feed(text[at:cut])
        at = cut
    assert lines == [b"" if more > 0 else text[: LONGEST + more], b"next"]
    assert splitter.feed(b"\n") == [b""]


FOLLOW = """
import resource, sys
from pathlib import Path
from kubectl_spy.sources.watching.transport import Transport
from kubectl_spy.sources.watching.actions import Watch
from tests.sources.watching.following import ALL, connection_to, requests_of, unmasked

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

seen = []
connection = connection_to(sys.argv[1], Path(sys.argv[2]))
transport = Transport(requests_of(connection, ALL), emit=seen.extend, mask=unmasked)
transport.watch(Watch("1", 1.0))  # what imports and a connection take
before = peak()
outcome = transport.watch(Watch("1", 1.0))
print(peak() - before, len(seen), outcome.error)
"""


def followed(home: Path, script: Script) -> tuple[int, int, str]:
    """Return the MiB a watch of *script* took, its events, and how it ended."""
    import tests

    first = sending(OK + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
    with raw_server(first, script) as server:
        ended = processes.run(
            [sys.executable, "-c", FOLLOW, server.url, str(home)],
            cwd=Path(tests.__file__).parents[1],
            capture_output=True,
            text=True,
        )
    assert ended.returncode == 0, ended.stderr
    grown, events, error = ended.stdout.split(maxsplit=2)
    return int(grown), int(events), error.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
@pytest.mark.parametrize(
    "head",
    [CHUNKED + b"%x\r\n" % (1 << 30), OK + b"Content-Length: %d\r\n\r\n" % (1 << 30)],
    ids=["a chunk of 1 GiB", "a length of 1 GiB"],
)
def test_announced_lengths_are_not_awaited(tmp_path: Path, head: bytes) -> None:
    event = b'{"type":"ADDED","object":{"metadata":{"name":"a","uid":"a"}}}\n'

    def script(client: socket.socket) -> None:
        client.sendall(head + event)
        for _ in range(SENT // MIB):
            client.sendall(b"x" * MIB)

    grown, events, error = followed(tmp_path, script)
    assert grown < 40
    assert events == 1
    assert error.startswith("the stream broke off")


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
def test_a_compressed_bomb_is_not_unpacked_at_once(tmp_path: Path) -> None:
    """Nobody asks for gzip; a server or a proxy may send it all the same."""
    import zlib

    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(b"x" * MIB) for _ in range(SENT // MIB)]
    packed = b"".join([*parts, packer.flush()])

    def script(client: socket.socket) -> None:
        encoding = b"Content-Encoding: gzip\r\n"
        client.sendall(CHUNKED.replace(OK, OK + encoding) + chunk(packed) + LAST)

    grown, events, error = followed(tmp_path, script)
    assert grown < 40
    assert events == 0
    assert "answered compressed (gzip), which was not asked for" in error
