"""Opens a recording, and reports its progress and damages."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager

from kubectl_spy.core.changes.audit import AuditLog
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.record import Refused
from kubectl_spy.core.remedy import advice, kubectl
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.naming import STDIN
from kubectl_spy.sources.recording.object_filter import ObjectFilter, RecordedNames
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.resolution.resolve import meant_instead
from kubectl_spy.terms import phrase

_SILENCE = 1.0
"""Seconds after which a silent pipe is reported, and the progress of reading."""
_MOST = 3  # damaged places that are reported; the others are counted
_TELL = 0.25  # how often progress is shown, in seconds


def opened(name: str, terminal: Terminal) -> Recording:
    """Return the recording *name*. Say so if it is a pipe that nobody writes to.

    Raises SpyError if it cannot be read, or is no recording.
    """
    if not is_read_once(name):
        return Recording(name)
    pipe = "standard input" if name == STDIN else name
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


def progress(recording: Recording, terminal: Terminal) -> AbstractContextManager[None]:
    """Show on a terminal how far *recording* is read, while nothing else is printed."""

    def line() -> str:
        if terminal.silence <= _SILENCE:
            return ""
        at = f", at {rfc3339(recording.last)[:19].replace('T', ' ')} UTC"
        read = f"reading {recording.name}: {byte_size(recording.size)}"
        return read + (at if recording.last else "")

    return terminal.progress(line, _TELL)


def audit_of(name: str | None, terminal: Terminal) -> AuditLog | None:
    """Return the audit log in the file *name*, if any. Say what cannot be read of it.

    Raises:
        SpyError: it is no audit log.
    """
    if name is None:
        return None
    from kubectl_spy.sources.recording.audit_file import read_audit

    log, bad = read_audit(name)
    if bad:
        terminal.say(f"warning: {many(bad, 'line')} of {name} cannot be read")
    return log


def see_contents(
    name: str, command: str = "spy ls {}", code: str = "see-contents"
) -> str:
    """Return how to see what the recording *name* holds: a person with *command*."""
    file = "FILE" if is_read_once(name) else name
    remedy = advice("see what it holds with {}", kubectl(command, file))
    return phrase(code, remedy)


def see_versions(name: str) -> str:
    """Return how to see the versions that the recording *name* holds."""
    return see_contents(name, "spy changes {} -o json", "see-versions")


def not_in(
    recording: Recording, wanted: ObjectFilter, message: str, coverage: Coverage
) -> SpyError:
    """Return the error *message*, and what may be mistyped or what to do.

    An object whose type could not be listed may have existed: *coverage* tells.
    """
    name = recording.file
    for held in recording.declared:
        answer = coverage.of(held).answer
        if isinstance(answer, Refused) and any(wanted.among([held])):
            return SpyError(f"{message}: {answer.message}", code="not-found")
    if recording.read_once:
        return SpyError(message, see_contents(name), code="not-found")
    known = RecordedNames(name)
    selections = (each for held in recording.declared for each in wanted.targets(held))
    hints = dict.fromkeys(
        meant_instead(known, each, lists=wanted.single) for each in selections
    )
    remedy = " ".join(filter(None, hints)) or see_contents(name)
    return SpyError(message, remedy, code="not-found")


def tell_damages(recording: Recording, terminal: Terminal, reported: int) -> int:
    """Report the damages after the first *reported*. Return how many there are.

    Only the first few are reported. A torn line is not reported yet, because more lines
    may follow it.
    """
    for damage in recording.damages[reported:]:
        if damage.torn:
            break
        if reported < _MOST:
            terminal.say(f"warning: {damage}")
        reported += 1
    return reported


def check_damages(recording: Recording, terminal: Terminal, reported: int = 0) -> None:
    """Report the damages after the first *reported*. A torn last line is no error.

    Raises SpyError if the recording is damaged.
    """
    reported = tell_damages(recording, terminal, reported)
    if more := max(reported - _MOST, 0):
        what = many(more, "more damaged place")
        terminal.say(f"warning: {recording.name}: {what}")
    for damage in recording.damages[reported:]:
        terminal.say(f"warning: {damage}")
    if reported:
        raise SpyError(
            f"{recording.name} is damaged, first at line {recording.damages[0].line}",
            "what could not be read is missing, or shown as a GAP",
            code="damaged",
        )
