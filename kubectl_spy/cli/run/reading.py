"""Opens a recording, and reports its damages."""

from __future__ import annotations

import threading

from kubectl_spy.core.remedy import Remedy, advice, kubectl
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.names import RecordedNames
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import STDIN, is_read_once
from kubectl_spy.sources.recording.wanted import Wanted
from kubectl_spy.sources.resolution.names import meant_instead

_SILENCE = 1.0  # seconds after which a pipe that nobody writes to is reported


def opened(name: str, terminal: Terminal) -> Recording:
    """Return the recording *name*. Say so if it is a pipe that nobody writes to.

    Raises SpyError if it cannot be read, or is no recording.
    """
    if not is_read_once(name):
        return Recording(name)
    pipe = "standard input" if name == STDIN else inert(name)
    silence = threading.Timer(
        _SILENCE,
        terminal.say,
        [f"waiting for somebody to write to {pipe}; Ctrl-C ends"],
    )
    silence.daemon = True
    silence.start()
    try:
        return Recording(name)
    finally:
        silence.cancel()


def see_contents(name: str, command: str = "ls {}") -> Remedy:
    """Return how to see what the recording *name* holds."""
    file = "FILE" if is_read_once(name) else name
    return advice("see what it holds with {}", kubectl(f"spy {command}", file))


def not_in(recording: Recording, wanted: Wanted, message: str) -> SpyError:
    """Return the error *message*, and what may be mistyped or what to do."""
    name = recording.name
    if is_read_once(name):
        return SpyError(message, see_contents(name))
    known = RecordedNames(name)
    selections = (each for held in recording.declared for each in wanted.meant(held))
    meant = dict.fromkeys(meant_instead(known, each) for each in selections)
    return SpyError(message, " ".join(filter(None, meant)) or see_contents(name))


def tell_damages(recording: Recording, terminal: Terminal, told: int) -> int:
    """Report the damages after the first *told*. Return how many were reported.

    A torn line is not reported yet, because more lines may follow it.
    """
    for damage in recording.damages[told:]:
        if damage.torn:
            break
        terminal.say(inert(f"warning: {damage}"))
        told += 1
    return told


def check_damages(recording: Recording, terminal: Terminal, told: int = 0) -> None:
    """Report the damages after the first *told*. A torn last line is no error.

    Raises SpyError if the recording is damaged.
    """
    for damage in recording.damages[told:]:
        terminal.say(inert(f"warning: {damage}"))
    bad = [damage for damage in recording.damages if not damage.torn]
    if bad:
        raise SpyError(
            f"{recording.name} is damaged, first at line {bad[0].line}",
            "what could not be read is missing, or shown as a GAP",
        )
