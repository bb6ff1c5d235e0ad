"""Opens a recording for review, or begins one, and runs the screen."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from math import inf
from types import FrameType
from typing import Any

import click
from click.core import ParameterSource

from kubectl_spy.cli.run.view import palette_of
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sinks.terminal import Terminal, is_terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.naming import STDIN, is_recording
from kubectl_spy.sources.recording.segments import fetched, is_read_once

_HOW = "get it with pipx inject kubectl-spy 'textual>=8,<9', or with pip install"
_MODULES = ("textual", "rich")
_LEAVE = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?2004l"
"""The screen before, the cursor, and no mouse: what Textual writes at its end."""
_OF_LOKI = {"since", "to_time"}  # and `--since` of what is watched
_OF_FILE = {"to_time", "max_read"}


def review_recording(context: click.Context, name: str) -> None:
    """Review the recording *name*. Raises SpyError if that is not possible."""
    known = {"target", "debug", *_OF_FILE, *_OF_LOKI}
    for flag in _given(context, lambda each: each not in known):
        raise UsageError(
            f"{flag} is for a live review, and {name} is a recording", "leave it out"
        )
    if name not in fetched:
        for flag in _given(context, _OF_LOKI.__contains__):
            raise UsageError(
                f"{flag} chooses what to read from a Loki",
                "leave it out: review shows a file as a whole",
            )
    app = _screen(context.obj, "kubectl spy changes or kubectl spy summary")
    with closing(Index(name)) as index:
        if is_read_once(name):
            index.grow(inf)  # the end is not known before it is there
        if name == STDIN:
            _read_keys_from_the_terminal()
        _run(app(index, palette_of("auto")))


def review_live(context: click.Context) -> None:
    """Review what is recorded meanwhile. Raises SpyError if that is not possible."""
    terminal: Terminal = context.obj
    for flag in _given(context, _OF_FILE.__contains__):
        raise UsageError(f"{flag} is for a recording", "leave it out")
    targets = context.params["target"]
    if any(map(is_recording, targets)):
        raise UsageError("review shows one recording at a time", "name one file")
    app = _screen(terminal, "kubectl spy changes")
    from kubectl_spy.extras.review.recorder import recording

    words, kept = context.meta["typed"], context.params["kept"]
    with (
        recording(_without(words, "--record"), kept, terminal.say) as recorder,
        closing(Index(str(recorder.file), live=True)) as index,
    ):
        _run(
            app(
                index,
                palette_of("auto"),
                recorder=recorder,
                targets=" ".join(targets) or "everything",
                temporary=kept is None,
            )
        )


def _screen_class() -> Any:
    """Return the screen. Raises SpyError if Textual is not installed."""
    try:
        from kubectl_spy.extras.review.app import ReviewApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _MODULES:
            raise
        raise SpyError("review needs Textual, which is not installed", _HOW) from None
    return ReviewApp


def first_page(name: str, palette: Palette, size: tuple[int, int]) -> str:
    """Return what the screen shows of the recording *name* once all of it is read.

    *size* is columns and lines. Raises SpyError if Textual is not installed.
    """
    screen = _screen_class()
    from rich.console import Console  # Textual brings it

    console = Console(color_system="standard", force_terminal=True)
    page = list[str]()

    async def look(pilot: Any) -> None:
        app, before = pilot.app, None
        while page != before or app.session.progress or app.sought or app.reads_on:
            before = page.copy()
            await pilot.pause(0.1)
            strips = app.screen._compositor.render_strips()
            page[:] = [
                each.text.rstrip() if palette is PLAIN else each.render(console)
                for each in strips
            ]
        app.exit()

    with closing(Index(name)) as index:
        screen(index, palette).run(headless=True, size=size, auto_pilot=look)
    return "".join(f"{line}\n" for line in page)


def _screen(terminal: Terminal, instead: str) -> Any:
    screen = _screen_class()
    if not (is_terminal(sys.stdout) and is_terminal(sys.stderr)):
        raise SpyError("review needs a terminal", f"use {instead} in a pipe")
    if not terminal.draws:
        raise SpyError(
            "review needs a terminal that can move its cursor, and TERM is dumb",
            f"use {instead}",
        )
    return screen


def _run(screen: Any) -> None:
    with _ending_at_hangup():
        ended = screen.run()
    if ended is not None:
        raise ended


@contextmanager
def _ending_at_hangup() -> Iterator[None]:
    """End the process at once when the terminal is gone: Textual may wait for it."""
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is None:  # not POSIX
        yield
        return
    import termios

    attributes = termios.tcgetattr(1)

    def end(number: int, frame: FrameType | None) -> None:
        with suppress(OSError, termios.error):  # it is gone, or somebody used kill -HUP
            termios.tcsetattr(1, termios.TCSANOW, attributes)
            os.write(1, _LEAVE)
        os._exit(128 + number)

    before = signal.signal(hangup, end)
    try:
        yield
    finally:
        signal.signal(hangup, before)


def _given(context: click.Context, chosen: Callable[[str], bool]) -> list[str]:
    """Return the flags that were typed, of the parameters that *chosen* accepts."""
    source = context.get_parameter_source
    return [
        each.opts[-1]
        for each in context.command.params
        if each.name
        and chosen(each.name)
        and source(each.name) is ParameterSource.COMMANDLINE
    ]


def _without(words: Sequence[str], flag: str) -> list[str]:
    """Return *words* without *flag* and its value."""
    left, value = list[str](), False
    for word in words:
        if not value and word != flag and not word.startswith(f"{flag}="):
            left.append(word)
        value = word == flag and not value
    return left


def _read_keys_from_the_terminal() -> None:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        raise SpyError(
            f"there is no terminal to read keys from: {error.strerror}",
            "save the recording to a file first",
        ) from None
    os.dup2(terminal, 0)
    os.close(terminal)
