"""Take the picture of the README: a command, on what a real rollout was recorded as.

`python -m tests.cast docs/rollout.svg` writes it anew. Nothing in it is drawn by hand.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyte

from tests.cli.command import PATIENCE, Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import ApiServer
from tests.screencast import Character, Frame, Row, svg, trimmed

COMMAND = "trace deploy/nginx"
RECORDING, SPEED, PAUSE = "deploy-rollout", 2.0, 1.0
COLUMNS, ROWS = 112, 23
_LOOK = 0.4
"""Seconds between two looks: times that pass make every one a frame."""
_STILL = 2.5
"""Seconds for which the end is shown."""


def frames() -> list[Frame]:
    """Run the command, and return what its terminal showed."""
    with tempfile.TemporaryDirectory() as home:
        spy = Spy(Path(home))
        with ApiServer(
            [RECORDING], speed=SPEED, longest_pause=PAUSE, watches_before_play=6
        ) as server:
            server.write_kubeconfig(spy.kubeconfig)
            return list(_looks(spy, server))


def _looks(spy: Spy, server: ApiServer) -> Iterator[Frame]:
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    words = COMMAND.split()
    with on_a_terminal(spy, *words, columns=COLUMNS, rows=ROWS) as (terminal, _):
        playing = threading.Thread(target=server.wait_until_played, args=(PATIENCE,))
        playing.start()
        read, shown, since = 0, tuple[Row, ...](), time.monotonic()
        end = None
        while end is None or time.monotonic() < end:
            if end is None and not playing.is_alive():
                end = time.monotonic() + 5 * _LOOK
            time.sleep(_LOOK)
            raw = terminal.raw[read:]
            read += len(raw)
            # pyte knows no faint text; what is bright black looks like it.
            stream.feed(raw.replace(b"\x1b[2m", b"\x1b[90m"))
            rows = tuple(map(trimmed, _cells(screen)))
            if rows != shown:
                now = time.monotonic()
                if any(shown):
                    yield Frame(shown, now - since)
                shown, since = rows, now
        yield Frame(shown, _STILL)


def _cells(screen: pyte.Screen) -> Iterator[list[Character]]:
    for line in range(ROWS):
        row = screen.buffer[line]
        cells = (row[column] for column in range(COLUMNS))
        yield [Character(cell.data, cell.fg, cell.bold) for cell in cells]


if __name__ == "__main__":
    taken = frames()
    title = f"kubectl spy {COMMAND}"
    picture = svg(taken, columns=COLUMNS, rows=ROWS, title=title)
    Path(sys.argv[1]).write_text(picture, "utf-8")
    print(f"{len(taken)} frames, {len(picture) / 1000:.0f} KB")
