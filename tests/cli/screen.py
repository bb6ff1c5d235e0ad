"""A terminal of any size with the command in it, as a person would see it."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import termios
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pyte

from tests.cli.command import PATIENCE, Process, Spy
from tests.processes import run, wait_until

ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"  # the alternate screen


def is_stopped(pid: int) -> bool:
    """Return whether Ctrl-Z has stopped a process."""
    ended = run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True)
    state: bytes = ended.stdout.strip()
    return state.startswith(b"T")


class Screen:
    """What a terminal shows; what scrolled out at its top is kept."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self._stream = pyte.ByteStream(self._screen)
        self._ours, self.theirs = pty.openpty()
        self._lock = threading.Lock()
        self.raw = b""
        self.resize(columns, rows)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, those at the end that are empty left out."""
        with self._lock:
            shown = [line.rstrip() for line in self._screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    @property
    def cursor(self) -> tuple[int, int]:
        """The column and the row of the cursor."""
        with self._lock:
            return self._screen.cursor.x, self._screen.cursor.y

    @property
    def modes(self) -> int:
        """The local modes of the terminal, such as termios.ICANON."""
        modes: int = termios.tcgetattr(self._ours)[3]
        return modes

    @property
    def all(self) -> list[str]:
        """What scrolled out, and the lines on the screen."""
        with self._lock:
            width = self._screen.columns
            gone = [
                "".join(line[column].data for column in range(width)).rstrip()
                for line in self._screen.history.top
            ]
        return gone + self.lines

    def wait_for(self, ready: Callable[[Screen], bool]) -> None:
        """Wait until the screen is as *ready* wants it."""
        wait_until(lambda: ready(self), lambda: "\n".join(self.lines))

    def wait_for_text(self, text: str) -> None:
        """Wait until *text* is on the screen."""
        self.wait_for(lambda screen: any(text in line for line in screen.lines))

    def wait_for_end(self) -> None:
        """Wait until all is read that was written, after the process has ended."""
        self._reader.join(PATIENCE)
        assert not self._reader.is_alive()

    def type(self, text: str) -> None:
        """Press the keys that *text* is made of."""
        os.write(self._ours, text.encode())

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self._ours)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        with self._lock:
            self._screen.resize(rows, columns)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def _read(self) -> None:
        try:
            while chunk := os.read(self._ours, 1 << 16):
                with self._lock:
                    self.raw += chunk
                    self._stream.feed(chunk)
        except OSError:
            return  # the other end is closed


@contextmanager
def on_a_terminal(
    spy: Spy,
    *arguments: str,
    columns: int = 100,
    rows: int = 30,
    environ: Mapping[str, str] | None = None,
) -> Iterator[tuple[Screen, Process]]:
    """Run the command on a terminal; interrupt it at the end if it still runs."""
    screen = Screen(columns, rows)
    process = spy.start(
        *arguments,
        environ=environ,
        stdin=screen.theirs,
        stdout=screen.theirs,
        stderr=screen.theirs,
    )
    with process:
        os.close(screen.theirs)
        try:
            yield screen, process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()
