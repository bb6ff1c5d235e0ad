"""Opens a recording, finds points in it, and reports its damages."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kubectl_spy.core.changes.audit import AuditLog
from kubectl_spy.core.changes.points import (
    Beginning,
    Moment,
    Offset,
    Point,
    Seq,
    TimeOfDay,
    parse_point,
)
from kubectl_spy.core.remedy import Remedy, advice, kubectl
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.names import RecordedNames
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import STDIN, is_read_once
from kubectl_spy.sources.recording.wanted import Wanted
from kubectl_spy.sources.resolution.resolve import meant_instead

_SILENCE = 1.0
"""Seconds after which a silent pipe is reported, and the progress of reading."""
_TELL = 0.25  # how often progress is shown, in seconds


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


@contextmanager
def progress(recording: Recording, terminal: Terminal) -> Iterator[None]:
    """Show on a terminal how far *recording* is read, while nothing else is printed."""
    stopped = threading.Event()

    def tell() -> None:
        while not stopped.wait(_TELL):
            if terminal.silence > _SILENCE:
                at = f", at {recording.last[:19].replace('T', ' ')} UTC"
                read = f"reading {recording.name}: {byte_size(recording.size)}"
                terminal.show_progress(inert(read + (at if recording.last else "")))

    telling = threading.Thread(target=tell, name="progress", daemon=True)
    if terminal.shows_progress:
        telling.start()
    try:
        yield
    finally:
        stopped.set()
        if telling.is_alive():
            telling.join()
        terminal.clear_progress()


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
        terminal.say(inert(f"warning: {many(bad, 'line')} of {name} cannot be read"))
    return log


def see_contents(name: str, command: str = "spy ls {}") -> Remedy:
    """Return how to see what the recording *name* holds."""
    file = "FILE" if is_read_once(name) else name
    return advice("see what it holds with {}", kubectl(command, file))


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


EXAMPLE = "2026-11-21T15:04:05Z"


def point_of(text: str) -> Point:
    """Return *text* as a point of a recording, or raise UsageError."""
    try:
        return parse_point(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def points_of(
    words: Sequence[str], recording: Recording, terminal: Terminal
) -> list[Point]:
    """Return *words* as points, in order.

    A time before the recording counts as its beginning, and a note says so. Raises
    UsageError if a time is later than the next one.
    """
    found: list[Point] = []
    for word in words:
        after = next((each for each in found if isinstance(each, Moment)), None)
        found.append(meant(word, recording, after, end=True))
    check_order(words, found)
    return [
        inside(word, point, recording, terminal)
        for word, point in zip(words, found, strict=True)
    ]


def check_order(words: Sequence[str], points: Sequence[Point]) -> None:
    """Check that two times are in order. Raises UsageError if they are not."""
    times = [each.time for each in points if isinstance(each, Moment)]
    if len(times) == 2 and times[0] > times[1]:
        taken = f"they are taken for {_local(times[0])} and {_local(times[1])}"
        raise UsageError(
            f"{words[0]} is after {words[1]} ({taken})",
            f"give the earlier one first, or dates as well, as in {EXAMPLE}",
        )


def extent(recording: Recording) -> str:
    """Return the beginning and end of *recording*, for messages."""
    end = "" if is_read_once(recording.name) else f" to {_local(recording.until)}"
    return f"{recording.name} is from {_local(recording.began)}{end}"


def meant(word: str, recording: Recording, after: Moment | None, *, end: bool) -> Point:
    """Return *word* as a point. A time of day comes *after* the point before."""
    point = point_of(word)
    if isinstance(point, Offset):
        if point.before_end and is_read_once(recording.name):
            raise UsageError(
                f"{word} counts from the end, which a pipe does not tell before",
                f"save it to a file first, or give a time, as in {EXAMPLE}",
            )
        ended = recording.until if point.before_end else 0.0
        return point.moment(recording.began, ended)
    if not isinstance(point, TimeOfDay):
        return point
    if is_read_once(recording.name):
        if point.day is None:
            raise UsageError(
                f"{word} has no date, and a pipe does not say which days its "
                "recording has",
                f"save it to a file first, or give the date, as in {EXAMPLE}",
            )
        return point.moment(recording.began, recording.began, None, end=end)
    began = max(recording.began, after.time if after else 0.0)
    return point.moment(began, recording.until, None, end=end)


def inside(word: str, point: Point, recording: Recording, terminal: Terminal) -> Point:
    """Return *point*, or the beginning with a note if *point* is before it."""
    if isinstance(point, Seq) and not is_read_once(recording.name):
        last = recording.last_seq
        if 0 < last < point.seq:
            end = f"{recording.name} ends with seq:{last}"
            terminal.say(inert(f"note: {word} is after the end: {end}"))
    if not isinstance(point, Moment):
        return point
    if point.time < recording.began:
        terminal.say(
            inert(f"note: {word} is before the beginning: {extent(recording)}")
        )
        return Beginning()
    if not is_read_once(recording.name) and point.time > recording.until + 1:
        terminal.say(inert(f"note: {word} is after the end: {extent(recording)}"))
    return point


def _local(time: float) -> str:
    return f"{local(time):%Y-%m-%d %H:%M:%S}"
