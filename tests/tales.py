"""Watch events of Pods, told in a line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from kubectl_spy.core.objects import Selection, WatchEvent
from tests.builders import ALL_PODS, event, pod

_LISTS = ("lists", "begins", "relists", "rebegins", "quietly")


def tale(
    text: str, of: Selection = ALL_PODS, make: Callable[..., dict[str, Any]] = pod
) -> list[WatchEvent]:
    """Return the events that *text* tells of, separated by `; `.

    | part | what happens |
    |---|---|
    | `lists a b:Running` | a whole list; `begins` lacks its end |
    | `relists a` | a list after a lost connection; `rebegins` lacks its end |
    | `quietly a` | a list again, of a connection that was not lost |
    | `a:Running` | a change; the phase is Pending unless told |
    | `+a`, `-a`, `?` | an object that is added, deleted or unreadable |

    Behind its name, `/UID` and `=VERSION` are those of an object. Versions are counted
    otherwise.
    """
    versions = count(1)

    def one(kind: str, word: str) -> WatchEvent:
        if word == "?":
            return event("UNREADABLE", selection=of)
        word, equals, version = word.partition("=")
        word, _, phase = word.partition(":")
        name, _, uid = word.partition("/")
        rv = version if equals else str(next(versions))
        made = make(name, rv=rv, uid=uid, phase=phase or "Pending")
        return event(kind, made, selection=of)

    events: list[WatchEvent] = []
    for part in text.split("; "):
        first, *rest = part.split()
        if first in _LISTS:
            lost = first[:2] == "re"
            since = 50.0 if lost or first == "quietly" else None
            on: Any = {"selection": of, "time": 60.0 * lost}
            events.append(event("LISTING", lost=lost, since=since, **on))
            events += (one("LISTED", each) for each in rest)
            events += [] if "begins" in first else [event("SYNCED", **on)]
        else:
            kinds = {"+": "ADDED", "-": "DELETED"}
            events.append(one(kinds.get(first[0], "MODIFIED"), first.lstrip("+-")))
    return events
