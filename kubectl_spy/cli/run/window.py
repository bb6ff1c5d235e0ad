"""The part of a recording that a command shows."""

from __future__ import annotations

from kubectl_spy.cli.run.points import EXAMPLE, check_order, inside, points_of, resolved
from kubectl_spy.cli.run.reading import see_versions
from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    First,
    Last,
    Moment,
    Point,
    is_after,
)
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.moments import clock
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.terms import option


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
