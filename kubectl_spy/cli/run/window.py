"""The part of a recording that a command shows."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.cli.run.reading import see_versions
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    First,
    Last,
    Moment,
    Offset,
    Point,
    Seq,
    TimeOfDay,
    is_after,
    parse_point,
)
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.moments import clock, local, offset
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.terms import option

# Finds the points of a recording that words of the command line mean.

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


class Window:
    """The part of a recording from a time up to a point.

    *since* is in seconds since the epoch, and 0.0 is the beginning. The point *end* is
    a Moment, Seq, AtVersion or Last, or First for the end of the first lists.
    """

    def __init__(self, since: float = 0.0, end: Point = Last()) -> None:  # noqa: B008
        self.since = since
        self.end = end
        self.whole = not since and isinstance(end, Last)
        """Whether it is all of the recording."""
        self._begun = not since
        self._reached = False  # whether the version at which to end was there
        self._last = 0.0  # the time of the last item up to the end

    def __str__(self) -> str:
        """Return its times, for messages: `, from 15:04:05.000`."""
        until = self.end.time if isinstance(self.end, Moment) else 0.0
        return "".join(
            f", {word} {clock(time)}"
            for word, time in (("from", self.since), ("to", until))
            if time
        )

    def is_over(self, item: Item | Aside, view: View) -> bool:
        """Return whether *item*, the next one for *view*, comes after the end."""
        if isinstance(self.end, Last):
            over = False
        elif isinstance(self.end, AtVersion):
            over = self._reached
            version = isinstance(item, ChangeRecord) and item.resource_version
            self._reached = over or version == self.end.resource_version
        else:
            over = (isinstance(self.end, First) and view.ready) or is_after(
                item, self.end
            )
        if not over:
            self._last = item.time
        return over

    def has_begun(self, item: Item | Aside) -> bool:
        """Return whether *item* is in the window."""
        self._begun = self._begun or item.time >= self.since
        return self._begun

    def ended(self, recording: Recording) -> float:
        """Return the time up to which *recording* was shown."""
        last = recording.last
        if isinstance(self.end, Moment):
            return min(last, self.end.time)
        return last if isinstance(self.end, Last) else self._last

    def check(self, recording: Recording) -> None:
        """Check that the recording held the version at which the window ends.

        Raises SpyError if it was not.
        """
        if isinstance(self.end, AtVersion) and not self._reached:
            raise SpyError(
                f"no version {self.end.resource_version} was recorded",
                see_versions(recording.file),
                code="not-found",
            )


def window_at(word: str, recording: Recording, terminal: Terminal) -> Window:
    """Return the part of *recording* up to the point *word*.

    Raises UsageError if it is not a point.
    """
    (point,) = points_of([word], recording, terminal)
    return Window(end=First() if isinstance(point, Beginning) else point)


def window_of(
    since: str | None, until: str | None, recording: Recording, terminal: Terminal
) -> Window:
    """Return the part of *recording* from the time *since* up to *until*.

    Raises UsageError if one is not a time, or they are in the wrong order.
    """
    first = resolved(since, recording, None, end=False) if since else None
    after = first if isinstance(first, Moment) else None
    last = resolved(until, recording, after, end=True) if until else None
    for each in (first, last):
        if each is not None and not isinstance(each, Moment):
            raise UsageError(
                f"{option('--since')} and {option('--until')} take times",
                f"for example 15:04:05 or {EXAMPLE}",
            )
    if since and until and first and last:
        check_order((since, until), (first, last))
    for word, each in ((since, first), (until, last)):
        if word and each:
            inside(word, each, recording, terminal)
    began = first.time if isinstance(first, Moment) else 0.0
    return Window(
        began if began > recording.began else 0.0, Last() if last is None else last
    )
