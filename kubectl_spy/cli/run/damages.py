"""Report what is damaged in a recording."""

from __future__ import annotations

from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording


def tell_damages(recording: Recording, terminal: Terminal, told: int) -> int:
    """Report the damages found after the first *told*; return how many are reported.

    A torn line is not: more lines may follow it.
    """
    for damage in recording.damages[told:]:
        if damage.torn:
            break
        terminal.say(inert(f"warning: {damage}"))
        told += 1
    return told


def check_damages(recording: Recording, terminal: Terminal, told: int = 0) -> None:
    """Report the damages after the first *told*. A torn last line is no error.

    Raises:
        SpyError: the recording is damaged.
    """
    for damage in recording.damages[told:]:
        terminal.say(inert(f"warning: {damage}"))
    bad = [damage for damage in recording.damages if not damage.torn]
    if bad:
        raise SpyError(
            f"{recording.name} is damaged, first at line {bad[0].line}",
            "what could not be read is missing, or shown as a GAP",
        )
