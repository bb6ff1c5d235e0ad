"""Events as lines, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.render.columns import width
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration, known_clock, local
from kubectl_spy.render.palette import PLAIN, Palette

_LONGEST = 1_000
"""Characters of a text that are printed: some write whole logs into a message."""
_WIDEST = 48
"""Columns that are kept free for what an Event is about, if another needs them."""
_NO_TIME = f"{'--:--:--':<12}"


class EventLines:
    """Renders Events, their times in *zone*; None is the local one.

    *namespace* is the one that goes without saying. What an Event is about takes as
    many columns as it did in the lines before.
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
        """Return a line for each of *events*, those of a day below it."""
        names = [width(self._name(event, PLAIN)) for event in events]
        wide = (each for each in names if each <= _WIDEST)
        self._column = max(self._column, *wide, 0)
        return "".join(map(self._line, events))

    def _line(self, event: ClusterEvent) -> str:
        faint, palette = self._palette.faint, self._palette
        when = event.last if event.last is not None else event.first
        moment = _NO_TIME if when is None else known_clock(when, self._zone)
        colour = palette.bad if event.warning else ""
        kind = palette.paint(colour, f"{_kind(event):<7}")
        reason = palette.paint(colour, inert(_cut(event.reason) or "-"))
        times = ""
        if event.times > 1:
            times = f" x{event.times}"
            if event.first is not None and when is not None and when > event.first:
                times += f" in {_lasted(event.first, when)}"
        who = f" ({inert(_cut(event.component))})" if event.component else ""
        message = inert(_cut(" ".join(event.message.split())))
        about = self._name(event, palette)
        about += " " * (self._column - width(self._name(event, PLAIN)))
        head = f"{palette.paint(faint, moment)}  {kind}  {about}"
        said = f"{reason}{times}{palette.paint(faint, who)}: {message}"
        return f"{self._date(when)}{head}  {said}\n"

    def _name(self, event: ClusterEvent, palette: Palette) -> str:
        name = palette.paint(palette.name, inert(_cut(event.name)))
        text = f"{inert(_cut(event.kind.lower()))}/{name}"
        if event.namespace and event.namespace != self._namespace:
            return f"{text} (in {inert(_cut(event.namespace))})"
        return text

    def _date(self, when: float | None) -> str:
        if when is None:
            return ""
        day = f"{local(when, self._zone):%Y-%m-%d}"
        known, self._day = self._day, day
        if day == known:
            return ""
        return self._palette.paint(self._palette.faint, day) + "\n"


def event_json(event: ClusterEvent) -> str:
    """Return an Event as a line of JSON that is harmless to terminals."""
    line: dict[str, JSON] = {
        "time": _stamp(event.last if event.last is not None else event.first),
        "type": _kind(event),
        "reason": event.reason,
        "message": event.message,
        "count": event.times,
        "first": _stamp(event.first),
        "component": event.component,
        "about": {
            "kind": event.kind,
            "namespace": event.namespace,
            "name": event.name,
            "uid": event.about,
            "fieldPath": event.field,
        },
        "uid": event.uid,
    }
    about = line["about"]
    line["about"] = {name: value for name, value in about.items() if value}
    shown = {name: value for name, value in line.items() if value not in ("", None)}
    return inert(dumps(shown).decode()) + "\n"


def _cut(text: str) -> str:
    """Return the beginning of *text*, and how much more there is."""
    more = len(text) - _LONGEST
    return f"{text[:_LONGEST]}… ({more:,} more characters)" if more > 0 else text


def _lasted(first: float, last: float) -> str:
    """Return the time between two moments, as exactly as the last one is known."""
    if last.is_integer() and last - int(first) < 60:
        return f"{last - int(first):.0f}s"
    return duration(last - first)


def _kind(event: ClusterEvent) -> str:
    return "Warning" if event.warning else "Normal"


def _stamp(time: float | None) -> str | None:
    return None if time is None else rfc3339(time)
