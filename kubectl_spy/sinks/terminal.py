"""Standard output for data, standard error for messages."""

from __future__ import annotations

import errno
import os
import select
import sys
import threading
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import accumulate
from typing import TextIO

from kubectl_spy.errors import SpyError
from kubectl_spy.render.columns import rows
from kubectl_spy.render.inert import inert

_CLEARED = "\r\x1b[K"  # clears the line


class StdoutClosed(Exception):
    """The reader of standard output is gone, as with `| head`."""


class Terminal:
    """The output streams of a process. `write` may raise, `say` never does."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._talking = threading.Lock()
        self._progress = False
        self._wrote = time.monotonic()
        self._redrawn: Redrawn | None = None
        self._descriptor = _descriptor_of(stdout)
        self._on_terminal = is_terminal(stdout)  # asked now: it may be gone later
        self.shows_progress = is_terminal(stderr)  # whether `show_progress` works
        self.codes = False  # whether a tool of `mcp` reads the messages
        self.stdout_name = "standard output"

    def write(self, text: str) -> None:
        """Write and flush *text*.

        Raises StdoutClosed if the other end of the pipe, or the terminal, is gone;
        SpyError for another error of the system, such as a full disk.
        """
        if not text:
            return
        self._wrote = time.monotonic()
        self.clear_progress()
        try:
            self._write(text)
        except (BrokenPipeError, ValueError):
            self.discard()
            raise StdoutClosed from None
        except OSError as error:
            self.discard()
            if error.errno == errno.EIO and self._on_terminal:
                raise StdoutClosed from None
            raise SpyError(
                f"cannot write to {self.stdout_name}: {error.strerror}",
                "the output ends before this change",
            ) from None

    def _write(self, text: str) -> None:
        """Write all of *text*.

        After a signal, Python's own buffers drop the rest of a long text, even if the
        handler raises nothing.
        """
        stdout = self._stdout
        if self._descriptor is None:
            stdout.write(text)
            stdout.flush()
            return
        rest = memoryview(text.encode(stdout.encoding, stdout.errors or "strict"))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def write_utf8(self) -> None:
        """Write UTF-8 from now on, whatever the locale, as JSON and YAML must be.

        Other encodings need Python's escapes, which JSON and YAML do not have.
        """
        if isinstance(self._stdout, TextIOWrapper):
            self._stdout.reconfigure(encoding="utf-8")

    def say(self, line: str, code: str = "") -> None:
        """Write one line to standard error, from any thread. It is made harmless.

        A program gets [*code*, *line*] in JSON. Without a code it is no error.
        """
        line = inert(line)
        if self.codes:
            import json  # few runs need it

            line = json.dumps([code, line])
        with self._talking:
            if self._redrawn is not None and self.shows_progress:
                with suppress(OSError, ValueError):
                    self._redrawn.print_above(line)
                return
            start = _CLEARED if self._progress else ""
            self._progress = False
            self._write_stderr(f"{start}{line}\n")

    def show_progress(self, line: str) -> None:
        """Show *line*, from any thread, in place of the last; on terminals only."""
        if self.shows_progress and _in_front(self._stderr):
            import shutil  # this import is slow

            line = inert(line)
            with self._talking:
                self._progress = True
                width = shutil.get_terminal_size().columns
                self._write_stderr(f"{_CLEARED}{line[: max(width - 1, 1)]}")

    @contextmanager
    def progress(self, line: Callable[[], str], every: float) -> Iterator[None]:
        """Show *line* anew *every* so many seconds in the block, unless it is ""."""
        stopped = threading.Event()

        def tell() -> None:
            while not stopped.wait(every):
                if text := line():
                    self.show_progress(text)

        telling = threading.Thread(target=tell, name="progress", daemon=True)
        if self.shows_progress:
            telling.start()
        try:
            yield
        finally:
            stopped.set()
            if telling.is_alive():
                telling.join()
            self.clear_progress()

    def clear_progress(self) -> None:
        """Remove what `show_progress` shows, if anything."""
        if self._progress:
            with self._talking:
                self._progress = False
                self._write_stderr(_CLEARED)

    @property
    def silence(self) -> float:
        """For how many seconds nothing was written to standard output."""
        return time.monotonic() - self._wrote

    @property
    def draws(self) -> bool:
        """Whether standard output is a terminal that can move its cursor."""
        return is_terminal(self._stdout) and os.environ.get("TERM") != "dumb"

    def redraw(self, draw: Draw) -> None:
        """Show what *draw* returns, in place of the last drawing.

        Raises StdoutClosed if the terminal is gone.
        """
        with self._talking:
            if self._redrawn is None:
                self._redrawn = Redrawn(self._write, size_of(self._stdout))
            try:
                self._redrawn.show(draw)
            except (OSError, ValueError):
                self.discard()
                raise StdoutClosed from None

    def leave(self) -> None:
        """Leave what `redraw` has drawn, for good."""
        with self._talking:
            redrawn, self._redrawn = self._redrawn, None
            if redrawn is not None:
                with suppress(OSError, ValueError):
                    redrawn.close()

    def _write_stderr(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stderr.write(text)
            self._stderr.flush()

    def on_closed(self, call: Callable[[], None]) -> None:
        """Call *call*, in a thread, when the reader of standard output goes away.

        A quiet watch may not write for hours. Elsewhere than on POSIX, the next write
        finds out.
        """
        try:
            descriptor = self._stdout.fileno()
        except (OSError, ValueError):
            return
        if not hasattr(select, "poll") or os.isatty(descriptor):
            return

        def wait() -> None:
            poll = select.poll()
            poll.register(descriptor, 0)  # poll always reports errors
            if any(state & select.POLLERR for _, state in poll.poll()):
                call()

        threading.Thread(target=wait, name="stdout", daemon=True).start()

    def discard(self) -> None:
        """Discard buffered text, or the interpreter complains when it exits."""
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stdout.fileno())
            os.close(nowhere)


def open_terminal() -> Terminal:
    """Return the process's own terminal; it escapes what its encoding lacks.

    A stream that was closed before (`>&-`) is opened on the null device. A socket must
    not get its descriptor: output would be sent to it. Writing to such a standard
    output is an error, as in cat and kubectl.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            access = os.O_RDONLY if name == "stdout" else os.O_RDWR
            setattr(sys, name, os.fdopen(os.open(os.devnull, access), mode))
    if os.name == "nt":  # consoles before Windows 10 have no ANSI sequences
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return Terminal(sys.stdout, sys.stderr)


def wants_colour(choice: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether to write colours to *stream*: *choice* is auto, always or never.

    With auto: on a terminal, unless NO_COLOR (https://no-color.org) is not empty, or
    TERM is "dumb".
    """
    if choice != "auto":
        return choice == "always"
    plain = environ.get("NO_COLOR") or environ.get("TERM") == "dumb"
    return not plain and is_terminal(stream)


def _descriptor_of(stream: TextIO) -> int | None:
    """Return where bytes can be written to; None if lines end differently there."""
    with suppress(OSError, ValueError, AttributeError):
        return stream.fileno() if os.linesep == "\n" else None
    return None


def is_terminal(stream: TextIO) -> bool:
    """Return whether *stream* is a terminal."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def _in_front(stream: TextIO) -> bool:
    """Return whether this is the job that a terminal shows, and not one behind `&`."""
    try:
        return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):
        return True  # not the terminal that controls this process, or Windows


def columns_of(stream: TextIO) -> Callable[[], int] | None:
    """Return a function for the current width of the terminal, or None for a pipe."""
    size = size_of(stream)
    return (lambda: size()[0]) if is_terminal(stream) else None


def size_of(stream: TextIO) -> Callable[[], tuple[int, int]]:
    """Return a function for the current columns and rows of a terminal."""

    def size() -> tuple[int, int]:
        try:
            columns, rows = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError):
            columns, rows = 0, 0
        return columns or 80, rows or 24

    return size


def arrow_for(stream: TextIO) -> str:
    """Return "→", or "->" where the stream's encoding has no such character."""
    try:
        "→".encode(getattr(stream, "encoding", None) or "ascii")
    except UnicodeError:
        return "->"
    return "→"


# Redraw lines in the same place of a terminal.

Draw = Callable[[int, int], Sequence[str]]
"""Returns the lines to draw in so many rows and columns."""
_MARGIN = 1
"""Rows of the screen that stay free, for the latest message."""
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
"""The cursor."""
_CLEAR_ROW = "\x1b[K"
_CLEAR_BELOW = f"{_CLEAR_ROW}\x1b[B\x1b[J\x1b[A"
"""Clears the row of the cursor and all below it, from the second row of the screen on.

tmux adds the whole screen to its history at 2J, and at a J in the first row.
https://github.com/tmux/tmux/blob/3.3a/screen-write.c (screen_write_clearendofscreen)
"""
_CLEAR = f"\x1b[H{_CLEAR_BELOW}"


class Redrawn:
    """A place on a terminal, from the first `show` until `close`.

    Lines may hold ANSI colours, and no other sequences. The terminal itself breaks what
    is longer than a row, so that a copy of it is one line. The cursor rests at the
    beginning of the last row: there the echo of a Ctrl-C, `^C`, begins no other row.
    """

    def __init__(
        self, write: Callable[[str], None], size: Callable[[], tuple[int, int]]
    ) -> None:
        self._write = write
        self._size = size
        self._drawn_at = (0, 0)
        self._lines: Sequence[str] = ()

    def show(self, draw: Draw) -> None:
        """Show what *draw* returns in place of the last lines."""
        size = self._size()
        start = self._back() if self._lines else f"{_HIDE}\r{_CLEAR_ROW}"
        if self._lines and size != self._drawn_at:
            start = _CLEAR  # terminals differ in how they fold the old lines
        self._drawn_at = columns, height = size
        room = max(height - _MARGIN, 1)
        lines = draw(room, columns)
        used = [*accumulate(rows(line, columns) for line in lines)]
        self._lines = lines[: bisect(used, room)] or [""]
        self._draw(start)

    def print_above(self, line: str) -> None:
        """Print *line*, from any thread, above the place."""
        self._draw(f"{self._back()}{line}\n")

    def close(self) -> None:
        """Leave what is shown."""
        if self._lines:
            self._draw(self._back(), f"\n{_SHOW}")

    def _back(self) -> str:
        """Return the sequence that clears the place and leads to its first row."""
        columns, _ = self._drawn_at
        up = sum(rows(line, columns) for line in self._lines) - 1
        return f"\r\x1b[{up}A{_CLEAR_BELOW}" if up else f"\r{_CLEAR_ROW}"

    def _draw(self, start: str, end: str = "\r") -> None:
        self._write(start + "\n".join(self._lines) + end)
