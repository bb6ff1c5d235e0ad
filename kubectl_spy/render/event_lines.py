"""Events as lines, for people and for programs."""

from __future__ import annotations

from datetime import tzinfo

from kubectl_spy.core.events import ClusterEvent
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.record import rfc3339
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration, local
from kubectl_spy.render.palette import Palette

_NO_TIME = f"{'--:--:--':<12}"


class EventLines:
    """Renders Events, their times in *zone*; None is the local one.

    *namespace* is the one that goes without saying.
    """

    def __init__(
        self, palette: Palette, *, namespace: str | None, zone: tzinfo | None
    ) -> None:
        self._palette = palette
        self._namespace = namespace
        self._zone = zone
        self._day = ""

    def line(self, event: ClusterEvent) -> str:
        """Return the line of one Event, below that of its day if that is another."""
        faint, palette = self._palette.faint, self._palette
        when = event.last if event.last is not None else event.first
        moment = _NO_TIME if when is None else self._clock(when)
        colour = palette.bad if event.warning else ""
        reason = palette.paint(colour, inert(event.reason or "-"))
        times = ""
        if event.times > 1:
            times = f" x{event.times}"
            if event.first is not None and when is not None and when > event.first:
                times += f" in {duration(when - event.first)}"
        who = f" ({inert(event.component)})" if event.component else ""
        message = inert(" ".join(event.message.split()))
        head = f"{palette.paint(faint, moment)}  {_kind(event):<7}  {self._name(event)}"
        said = f"{reason}{times}{palette.paint(faint, who)}: {message}"
        return f"{self._date(when)}{head}  {said}\n"

    def _clock(self, when: float) -> str:
        """Return the time of day, as exactly as it is known."""
        shown = clock(local(when, self._zone))
        return f"{shown[:8]:<12}" if when.is_integer() else shown

    def _name(self, event: ClusterEvent) -> str:
        name = self._palette.paint(self._palette.name, inert(event.name))
        text = f"{inert(event.kind.lower())}/{name}"
        if event.namespace and event.namespace != self._namespace:
            return f"{text} (in {inert(event.namespace)})"
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


def _kind(event: ClusterEvent) -> str:
    return "Warning" if event.warning else "Normal"


def _stamp(time: float | None) -> str | None:
    return None if time is None else rfc3339(time)
