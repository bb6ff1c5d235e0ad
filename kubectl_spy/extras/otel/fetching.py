"""Fetches the recordings of a command line from Loki, for the times that it names."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from kubectl_spy.core.changes.points import Last, Moment, Offset, TimeOfDay, parse_point
from kubectl_spy.core.times import rfc3339
from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.loki import Query, fetch
from kubectl_spy.extras.otel.loki_client import LokiClient
from kubectl_spy.render.moments import local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.naming import LOKI, is_recording
from kubectl_spy.sources.recording.recording import check_masked
from kubectl_spy.sources.resolution.target import parse_targets
from kubectl_spy.terms import option

_HOUR = 3600.0
_LONGEST = 24 * _HOUR
_CHOOSE = {
    "from_time": ("with ", "--since"),
    "words": ("with times as points", ""),
    "at": ("with ", "--at"),
    "point": ("with ", "--at"),
}
_POINTS = ("at", "point")  # parameters that hold a point


def fetch_all(params: dict[str, Any], most: int, terminal: Terminal) -> None:
    """Fetch each Loki in *params*, and put the name of what was fetched in its place.

    At most *most* bytes are read from each. Times of *params* that count from now get
    their date. Raises SpyError if one cannot be read, or if a tool of mcp asks and
    Secrets may not be masked.
    """
    only_masked = terminal.codes
    now = time.time()
    since, until, chosen = _times(params, now)
    if until - since > _LONGEST:
        raise UsageError(
            f"{(until - since) / _HOUR:.0f} hours are too much to read from Loki",
            f"choose at most 24 hours with {option('--since')} and {option('--until')}",
            code="too-much",
        )

    def located(word: Any) -> Any:
        if isinstance(word, tuple):
            return tuple(map(located, word))
        if not isinstance(word, str) or not word.startswith(LOKI):
            return word
        url, _, recording = word.partition("#")
        client = LokiClient(url, os.environ)
        if not chosen:
            how, flag = next(each for name, each in _CHOOSE.items() if name in params)
            how = f"choose {how}{option(flag)}"
            terminal.say(f"note: reading the last hour of {client.name}; {how}")

        def tell(received: int) -> None:
            terminal.show_progress(f"reading {client.name}: {byte_size(received)}")

        query = Query(since, until, recording, *_narrowed(params), most, only_masked)
        try:
            name, began = fetch(client, query, now, tell)
        finally:
            terminal.clear_progress()
        narrows = "from_time" in params and not params.get("at")
        if only_masked:
            check_masked(name, client.name)
        if not chosen and narrows and not params.get("awaited") and began < since:
            params["from_time"] = rfc3339(since)
        return name

    for key in ("file", "source", "target", "words"):
        if key in params:
            params[key] = located(params[key])


def _times(params: dict[str, Any], now: float) -> tuple[float, float, bool]:
    """Return the times to read from and up to, and whether *params* choose them."""
    begin, end = (_located(params, each, now) for each in ("from_time", "to_time"))
    points = [_located(params, each, now) for each in _POINTS if params.get(each)]
    if len(params.get("words", ())) > 1:  # of diff
        *words, first, last = params["words"]
        held = {"first": first, "last": last}
        points = [_located(held, each, now) for each in held]
        params["words"] = (*words, *held.values())
    known = [each for each in points if each is not None]
    until = max(known, default=now) if end is None else end
    if begin is None:
        whole = known and len(known) == len(points)
        begin = min(known) if whole else min([*known, until]) - _HOUR
    chosen = bool(known) or params.get("from_time") or params.get("to_time")
    return min(begin, until), max(begin, until), bool(chosen)


def _located(held: dict[str, Any], name: str, now: float) -> float | None:
    """Return the time that a word means; None if it means none.

    A time of day gets its date in *held*, and so does a time that counts from now.
    """
    word = held.get(name)
    try:
        point = parse_point(word) if isinstance(word, str) else None
    except ValueError:  # the command says so
        return None
    if isinstance(point, Last):
        return now
    if isinstance(point, Offset) and point.before_end:
        point = Moment(now - point.seconds)
        held[name] = rfc3339(point.time)
    elif isinstance(point, TimeOfDay):
        if point.day is None:
            day = local(now).date()
            if point.moment(now, now, None, end=False).time > now:
                day -= timedelta(days=1)
            held[name] = f"{day}T{word}"
            return _located(held, name, now)
        point = point.moment(now, now, None, end=name != "from_time")
    return point.time if isinstance(point, Moment) else None


def _narrowed(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the one namespace that is asked for, and the one object, or ""."""
    words = params.get("target") or params.get("words", ())
    if words and is_recording(words[0]):
        words = words[1:]
    elif "words" in params:
        words = words[:-2]  # the others are points
    specs = parse_targets(words, namespace=params.get("namespace")) if words else ()
    places = {params.get("namespace") or each.namespace for each in specs}
    names = {each.name for each in specs}
    if params.get("all_namespaces") or not specs:
        places = {params.get("namespace")}
    # Other commands show what belongs to the object, or that there are others.
    alone = "point" in params or "words" in params
    return (
        (places.pop() or "") if len(places) == 1 else "",
        (names.pop() or "") if alone and len(names) == 1 else "",
    )
