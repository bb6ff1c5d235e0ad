"""`review` on a large recording: its first frame, its keys, its memory."""

from __future__ import annotations

import os
import pty
import select
import statistics
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fcntl import ioctl

import pyte

from benchmarks.measure import PATIENCE_SECONDS, Command, Failed, peak_bytes
from benchmarks.recorded import recorded_churn
from benchmarks.table import Row, megabytes
from benchmarks.tools import Settings, kubectl_spy

CHANGES = 650_000
"""They make a recording of about 1 GB."""
PODS = 1_000
COLUMNS, ROWS = 80, 24
PRESSES = 400
_DOWN = "\x1b[B"
KEYS = ("]", "[", _DOWN, "n", "p", "\t", "\t", "\t", "d", "d", "f", "f", "]", "]")
QUIET = 0.05  # seconds without output after which a frame is complete


class Terminal:
    """A terminal with a program in it, and what it shows."""

    def __init__(self, process: subprocess.Popen[bytes], ours: int) -> None:
        self.process = process
        self._ours = ours
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)

    def press(self, keys: str) -> float:
        """Press *keys*. Return the seconds to the last output that they cause."""
        began = last = time.perf_counter()
        os.write(self._ours, keys.encode())
        while self._read(QUIET if last > began else 1.0):
            last = time.perf_counter()
        return last - began

    def wait_for(self, text: str, *, gone: bool = False) -> None:
        """Return once *text* is on the screen, or *gone* from it. Raises Failed."""
        until = time.monotonic() + PATIENCE_SECONDS
        while (text in "\n".join(self._screen.display)) == gone:
            if time.monotonic() > until or self.process.poll() is not None:
                raise Failed(f"review did not come to {text!r}")
            self._read(0.01)

    def _read(self, patience: float) -> bool:
        if not select.select([self._ours], [], [], patience)[0]:
            return False
        self._stream.feed(os.read(self._ours, 1 << 16))
        return True


@contextmanager
def on_a_terminal(command: Command) -> Iterator[Terminal]:
    """Run *command* on a terminal, and end it."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        command.argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**command.env, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of `review`."""
    path = settings.directory / "large.spy"
    recorded_churn(path, PODS, CHANGES)
    argv = kubectl_spy("review", str(path))
    if argv is None:
        return
    command = settings.command(argv)
    what = f"`review` of a recording of {path.stat().st_size / 1e9:.1f} GB"
    starts = []
    for _ in range(settings.runs):
        began = time.perf_counter()
        with on_a_terminal(command) as terminal:
            terminal.wait_for("▲")
            starts.append(time.perf_counter() - began)
    yield Row(f"{what}: first frame", statistics.median(starts), "the limit", 0.7, 1.0)
    with on_a_terminal(command) as terminal:
        terminal.wait_for("▲")
        began = time.perf_counter()
        terminal.wait_for("indexing")  # the first frame may come without it
        terminal.wait_for("indexing", gone=True)
        yield Row(f"{what}: indexed", time.perf_counter() - began, "", None)
        taken = _presses(terminal)
        memory = float(peak_bytes(terminal.process.pid))
    p99 = statistics.quantiles(taken, n=100)[98]
    yield Row(f"{what}: a key, median", statistics.median(taken), "the limit", 0.05, 1)
    yield Row(f"{what}: a key, 99th percentile", p99, "the limit", 0.05, 1.0)
    yield Row(f"{what}: memory", memory, "the limit", 150e6, 1.0, megabytes)


def _presses(terminal: Terminal) -> Sequence[float]:
    """Return how long keys took, at places all over the recording."""
    taken = []
    for number in range(PRESSES):
        if number % len(KEYS) == 0:
            column = 1 + number * 7 % COLUMNS  # a click on the time bar
            terminal.press(f"\x1b[<0;{column};2M\x1b[<0;{column};2m")
        taken.append(terminal.press(KEYS[number % len(KEYS)]))
    return taken
