"""Standard output for data, standard error for talk."""

from __future__ import annotations

import errno
import os
import select
import shutil
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from kubectl_spy.errors import SpyError

if TYPE_CHECKING:
    from kubectl_spy.sinks.redrawn import Redrawn

_CLEARED = "\r\x1b[K"
"""Moves to the beginning of the line, and clears it."""


class StdoutClosed(Exception):
    """Nobody reads standard output any more, as behind `| head`."""


class Terminal:
    """Both streams of a process. `write` may raise, `say` never does."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._talking = threading.Lock()
        self._progress = False
        self._redrawn: Redrawn | None = None
        self._on_terminal = is_terminal(stdout)  # one that is gone says that it is none
        self.shows_progress = is_terminal(stderr)
        """Whether `show_progress` shows anything."""

    def write(self, text: str) -> None:
        """Write *text* and let it out: whoever waits for a line gets it now.

        Raises:
            StdoutClosed: the other end of the pipe, or the terminal, is gone.
            SpyError: the disk is full, or whatever else the system says.
        """
        if not text:
            return
        try:
            self._stdout.write(text)
            self._stdout.flush()
        except (BrokenPipeError, ValueError):
            self.discard()
            raise StdoutClosed from None
        except OSError as error:
            self.discard()
            if error.errno == errno.EIO and self._on_terminal:
                raise StdoutClosed from None
            raise SpyError(
                f"cannot write to standard output: {error.strerror}",
                "the output ends before this change",
            ) from None

    def write_utf8(self) -> None:
        """Write UTF-8 from now on, whatever the locale: JSON and YAML are nothing else.

        What an encoding lacks would be escaped as Python does, which they do not know.
        """
        if isinstance(self._stdout, TextIOWrapper):
            self._stdout.reconfigure(encoding="utf-8")

    def say(self, line: str) -> None:
        """Write one line of talk, from any thread."""
        with self._talking:
            if self._redrawn is not None and self.shows_progress:
                self._redrawn.print_above(line)
                return
            start = _CLEARED if self._progress else ""
            self._progress = False
            self._talk(f"{start}{line}\n")

    def show_progress(self, line: str) -> None:
        """Show *line*, from any thread, in the place of the last one shown.

        Only on a terminal: a pipe gets no cursor codes.
        """
        if self.shows_progress:
            with self._talking:
                self._progress = True
                width = shutil.get_terminal_size().columns
                self._talk(f"{_CLEARED}{line[: max(width - 1, 1)]}")

    @property
    def draws(self) -> bool:
        """Whether standard output can be drawn on: a terminal that moves its cursor."""
        return is_terminal(self._stdout) and os.environ.get("TERM") != "dumb"

    def redraw(self, lines: Callable[[int, int], Sequence[str]]) -> None:
        """Show what *lines* returns for height and width, in place of what was there.

        Raises:
            StdoutClosed: the terminal is gone.
        """
        with self._talking:
            if self._redrawn is None:
                from kubectl_spy.sinks.redrawn import Redrawn

                self._redrawn = Redrawn(self._stdout)
            try:
                self._redrawn.show(lines(self._redrawn.height, self._redrawn.width))
            except (OSError, ValueError):
                self.discard()
                raise StdoutClosed from None

    def leave(self, lines: Sequence[str]) -> None:
        """Leave *lines* where `redraw` has drawn, if it has."""
        with self._talking:
            redrawn, self._redrawn = self._redrawn, None
            if redrawn is not None:
                with suppress(OSError, ValueError):
                    redrawn.close(lines)

    def _talk(self, text: str) -> None:
        try:
            self._stderr.write(text)
            self._stderr.flush()
        except (OSError, ValueError):
            pass

    def on_closed(self, call: Callable[[], None]) -> None:
        """Call *call*, in a thread, when the reader of standard output goes away.

        Writing would tell, but a quiet watch may not write for hours. Only POSIX can
        wait for it; elsewhere the next write tells.
        """
        try:
            descriptor = self._stdout.fileno()
        except (OSError, ValueError):
            return
        if not hasattr(select, "poll") or os.isatty(descriptor):
            return

        def wait() -> None:
            poll = select.poll()
            poll.register(descriptor, 0)  # errors are always reported
            if any(state & select.POLLERR for _, state in poll.poll()):
                call()

        threading.Thread(target=wait, name="stdout", daemon=True).start()

    def discard(self) -> None:
        """Let what is still buffered go nowhere, or the interpreter says it failed."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stdout.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            pass


def open_terminal() -> Terminal:
    """Return the process's own terminal; what its encoding lacks is escaped.

    A stream that was closed before we came (`>&-`) leads nowhere. Its descriptor must
    be taken: a socket that got it would be sent what is meant to be printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if os.name == "nt":  # consoles before Windows 10 know no ANSI sequences
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return Terminal(sys.stdout, sys.stderr)


def wants_colour(choice: str, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether *stream* gets colours, *choice* being auto, always or never.

    With auto: on a terminal, unless NO_COLOR (https://no-color.org) is set and not
    empty, or TERM is "dumb".
    """
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: TextIO) -> bool:
    """Return whether *stream* leads to a terminal."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def columns_of(stream: TextIO) -> Callable[[], int] | None:
    """Return what tells how wide the terminal is now, or None for a pipe."""
    try:
        if not stream.isatty():
            return None
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return None

    def columns() -> int:
        try:
            return os.get_terminal_size(descriptor).columns or 80
        except OSError:
            return 80

    return columns


def arrow_for(stream: TextIO) -> str:
    """Return "→", or "->" where the stream's encoding has no such character."""
    try:
        "→".encode(getattr(stream, "encoding", None) or "ascii")
    except UnicodeError:
        return "->"
    return "→"
