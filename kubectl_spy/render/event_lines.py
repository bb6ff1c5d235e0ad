"""Events as lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.render.columns import width
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import event_type
from kubectl_spy.render.moments import duration, known_clock, local
from kubectl_spy.render.palette import PLAIN, Palette

_LONGEST = 1_000  # characters of a text to print: a message may hold a log
_WIDEST = 48  # the most columns to which subjects are padded
_NO_TIME = f"{'--:--:--':<12}"


class EventLines:
    """Renders Events, with times in *zone*; None is the local one.

    Names in *namespace* are printed without it. The columns of subjects only grow.
    """

    def __init__(
        self, palette: Palette, *, namespace: str | None, zone: tzinfo | None
    ) -> None:
        self._palette = palette
        self._namespace = namespace
        self._zone = zone
        self._day = ""
        self._column = 0

    def lines(self, events: Sequence[ClusterEvent]) -> str:
        """Return a line for each of *events*, and one before each new day."""
        names = [width(_about(event, PLAIN) + self._place(event)) for event in events]
        wide = (each for each in names if each <= _WIDEST)
        self._column = max(self._column, *wide, 0)
        return "".join(map(self._line, events))

    def _line(self, event: ClusterEvent) -> str:
        when = _when(event)
        moment = _NO_TIME if when is None else known_clock(when, self._zone)
        kind, about, what = said(event, self._palette)
        place = self._place(event)
        place += " " * (self._column - width(_about(event, PLAIN) + place))
        head = f"{self._palette.paint(self._palette.faint, moment)}  {kind}"
        return f"{self._date(when)}{head}  {about}{place}  {what}\n"

    def _place(self, event: ClusterEvent) -> str:
        if event.namespace and event.namespace != self._namespace:
            return f" (in {inert(_cut(event.namespace))})"
        return ""

    def _date(self, when: float | None) -> str:
        if when is None:
            return ""
        day = f"{local(when, self._zone):%Y-%m-%d}"
        known, self._day = self._day, day
        if day == known:
            return ""
        return self._palette.paint(self._palette.faint, day) + "\n"


def said(event: ClusterEvent, palette: Palette) -> tuple[str, str, str]:
    """Return the type of *event*, the object that it is about, and what it says."""
    when = _when(event)
    colour = palette.bad if event.warning else ""
    reason = palette.paint(colour, inert(_cut(event.reason) or "-"))
    times = ""
    if event.times > 1:
        times = f" x{event.times}"
        if event.first is not None and when is not None and when > event.first:
            times += f" in {_lasted(event.first, when)}"
    who = f" ({inert(_cut(event.component))})" if event.component else ""
    message = inert(_cut(" ".join(event.message.split())))
    what = f"{reason}{times}{palette.paint(palette.faint, who)}: {message}"
    kind = palette.paint(colour, f"{event_type(event):<7}")
    return kind, _about(event, palette), what


def _when(event: ClusterEvent) -> float | None:
    return event.last if event.last is not None else event.first


def _about(event: ClusterEvent, palette: Palette) -> str:
    name = palette.paint(palette.name, inert(_cut(event.name)))
    return f"{inert(_cut(event.kind.lower()))}/{name}"


def _cut(text: str) -> str:
    more = len(text) - _LONGEST
    return f"{text[:_LONGEST]}… ({more:,} more characters)" if more > 0 else text


def _lasted(first: float, last: float) -> str:
    """Return the time between two moments, in whole seconds if *last* is."""
    if last.is_integer() and last - int(first) < 60:
        return f"{last - int(first):.0f}s"
    return duration(last - first)
