"""Opens a recording for review, and runs the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import closing
from math import inf
from typing import Any

from kubectl_spy.cli.views.screen import palette_of
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sinks.terminal import is_terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.segments import STDIN, is_fetched, is_read_once

_HOW = "get it with pipx inject kubectl-spy 'textual>=8,<9', or with pip install"


def review(flags: Mapping[str, Any]) -> None:
    """Review the recording that click's *flags* name.

    Raises SpyError if that is not possible.
    """
    name = flags["file"]
    if (flags["from_time"] or flags["to_time"]) and not is_fetched(name):
        raise UsageError(
            "--from-time and --to-time choose what to read from a Loki",
            "leave them out: review shows a file as a whole",
        )
    try:
        from kubectl_spy.cli.review.app import ReviewApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise SpyError("review needs Textual, which is not installed", _HOW) from None
    if not (is_terminal(sys.stdout) and is_terminal(sys.stderr)):
        raise SpyError("review needs a terminal", "use kubectl spy replay in a pipe")
    with closing(Index(name)) as index:
        if is_read_once(name):
            index.grow(inf)  # the end is not known before it is there
        if name == STDIN:
            _read_keys_from_the_terminal()
        ended = ReviewApp(index, palette_of("auto")).run()
    if ended is not None:
        raise ended


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
