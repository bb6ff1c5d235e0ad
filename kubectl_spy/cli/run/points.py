"""Finds the points of a recording that words of the command line mean."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.changes.points import (
    Beginning,
    Moment,
    Offset,
    Point,
    Seq,
    TimeOfDay,
    parse_point,
)
from kubectl_spy.errors import UsageError
from kubectl_spy.render.moments import local, offset
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording

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
        found.append(resolved(word, recording, after, end=True))
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
    end = "" if recording.read_once else f" to {_local(recording.until)}"
    began = f"{_local(recording.began)}{offset(recording.began)}"
    return f"{recording.name} is from {began}{end}"


def resolved(
    word: str, recording: Recording, after: Moment | None, *, end: bool
) -> Point:
    """Return *word* as a point. A time of day comes *after* the point before."""
    point = point_of(word)
    if isinstance(point, Offset):
        if point.before_end and recording.read_once:
            raise UsageError(
                f"{word} counts from the end, which a pipe does not tell before",
                f"save it to a file first, or give a time, as in {EXAMPLE}",
            )
        ended = recording.until if point.before_end else 0.0
        return point.moment(recording.began, ended)
    if not isinstance(point, TimeOfDay):
        return point
    if recording.read_once:
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
    if isinstance(point, Seq) and not recording.read_once:
        last = recording.last_seq
        if 0 < last < point.seq:
            end = f"{recording.name} ends with seq:{last}"
            terminal.say(f"note: {word} is after the end: {end}")
    if not isinstance(point, Moment):
        return point
    if point.time < recording.began:
        terminal.say(
            f"note: {_said(word)} is before the beginning: {extent(recording)}"
        )
        return Beginning()
    if not recording.read_once and point.time > recording.until + 1:
        terminal.say(f"note: {word} is after the end: {extent(recording)}")
    return point


def _said(word: str) -> str:
    """Return *word* for messages. A duration that was typed counts from the end."""
    if word.startswith("last-"):
        return f"{word.removeprefix('last-')} before the end"
    return word


def _local(time: float) -> str:
    return f"{local(time):%Y-%m-%d %H:%M:%S}"
