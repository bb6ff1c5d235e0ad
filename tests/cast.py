"""Take the picture of the README: a command, on an incident that was recorded.

`python -m tests.cast docs/incident.svg` writes it anew. Nothing in it is drawn by hand.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyte

from kubectl_spy.extras.serve.demo.recordings import INCIDENT
from tests.cli.command import MODULE, Spy
from tests.cli.screen import on_a_terminal
from tests.screencast import Character, Frame, Row, svg, trimmed

COMMAND = "trace incident.spy.gz deploy/web --speed 1.5"
COLUMNS, ROWS = 96, 23
_LOOK = 0.4
"""Seconds between two looks: times that pass make every one a frame."""
_STILL = 4.0
"""Seconds for which the end is shown."""


def frames() -> Iterator[Frame]:
    """Run the command, and yield what its terminal showed."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    with tempfile.TemporaryDirectory() as home:
        shutil.copyfile(INCIDENT, Path(home) / "incident.spy.gz")
        # The note on the recording would scroll out of sight in the middle of a line.
        quiet = 'cd "$HOME" && exec "$0" "$@" 2> /dev/null'
        spy = Spy(Path(home), ("sh", "-c", quiet, *MODULE))
        words = shlex.split(COMMAND)
        with on_a_terminal(spy, *words, columns=COLUMNS, rows=ROWS) as (
            terminal,
            process,
        ):
            read, shown, since = 0, tuple[Row, ...](), time.monotonic()
            ended = False
            while not ended:
                ended = process.poll() is not None
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
    taken = list(frames())
    title = f"kubectl spy {COMMAND}"
    picture = svg(taken, columns=COLUMNS, rows=ROWS, title=title)
    Path(sys.argv[1]).write_text(picture, "utf-8")
    print(f"{len(taken)} frames, {len(picture) / 1000:.0f} KB")
