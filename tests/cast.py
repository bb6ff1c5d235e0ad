"""Take the picture of the README: what `trace` draws of an incident.

`python -m tests.cast docs/incident.svg` writes it anew. Nothing in it is drawn by hand:
each frame is what the command prints of a recording as it was at that time.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyte

from kubectl_spy.extras.demo.tour import INCIDENT
from tests.cli.command import MODULE, PATIENCE, Spy
from tests.cli.screen import on_a_terminal
from tests.screencast import Character, Frame, Row, svg, trimmed

COMMAND = "trace deploy/web"
COLUMNS, ROWS = 96, 23
_POINTS = [*(f"first+{tenths * 100}ms" for tenths in range(10, 180, 6)), "last"]
_LOOK = 0.4
"""Seconds for which each is shown: times that pass make every one a frame."""
_STILL = 4.0
"""Seconds for which the end is shown."""


def frames() -> Iterator[Frame]:
    """Run the command for each point, and yield what its terminal showed."""
    with tempfile.TemporaryDirectory() as home:
        shutil.copyfile(INCIDENT, Path(home) / "incident.spy.gz")
        # The note on the recording would scroll out of sight in the middle of a line.
        quiet = 'cd "$HOME" && exec "$0" "$@" 2> /dev/null'
        spy = Spy(Path(home), ("sh", "-c", quiet, *MODULE))
        for point in _POINTS:
            words = ("trace", "incident.spy.gz", "deploy/web", "--at", point)
            shown = _shown(spy, *words)
            yield Frame(shown, _STILL if point == "last" else _LOOK)


def _shown(spy: Spy, *words: str) -> tuple[Row, ...]:
    """Return what a terminal shows when the command has ended."""
    with on_a_terminal(spy, *words, columns=COLUMNS, rows=ROWS) as (terminal, process):
        assert process.wait(PATIENCE) == 0
        terminal.wait_for_end()
        raw = terminal.raw
    screen = pyte.Screen(COLUMNS, ROWS)
    # pyte knows no faint text; what is bright black looks like it.
    pyte.ByteStream(screen).feed(raw.replace(b"\x1b[2m", b"\x1b[90m"))
    return tuple(map(trimmed, _cells(screen)))


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
