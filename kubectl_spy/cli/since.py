"""What `--since` and `--until` mean: of a cluster, or of a recording."""

from __future__ import annotations

import re
import time
from typing import Any

import click

from kubectl_spy.core.times import parse_duration
from kubectl_spy.terms import option

_HOUR = 3_600.0
_DAY = 86_400.0  # seconds
_BARE = re.compile(r"-?([0-9][0-9.]{0,17})")


def take_times(ctx: click.Context) -> None:
    """Replace `since` in the parameters by what it means, if it is there.

    `from_time` and `to_time`, which is there already, become points of a recording, as
    words. `back_to` is the time since which a cluster is to be seen. Raises UsageError.
    """
    params = ctx.params
    if "since" not in params:
        return
    since = params.pop("since")
    for name, word in (("since", since), ("until", params.get("to_time"))):
        if word is not None and (bare := _BARE.fullmatch(word)):
            units = f"a number needs a unit: {bare[1]}s, {bare[1]}m"
            raise click.UsageError(f"{option(f'--{name}')} {word}: {units}", ctx)
    params |= {"from_time": None, "back_to": None}
    if params.get("source") is None and params.get("file") is None:
        params["back_to"] = None if since is None else _time_of(since, ctx)
        return
    if since is not None and "to_time" not in params:
        raise click.UsageError("--since is for a cluster; use --at POINT", ctx)
    params["from_time"] = _point(since)
    if params.get("to_time") is not None:
        params["to_time"] = _point(params["to_time"])


def take_last_hour(flags: dict[str, Any]) -> None:
    """Let what is printed once of a cluster go back an hour, unless a time is given.

    Only what is listed anyway is asked for it. What is recorded begins now.
    """
    selects = "label_selector", "field_selector"
    others = *selects, "source", "back_to", "awaited", "record"
    if all(flags.get(each) in (None, ()) for each in others):
        flags |= {"back_to": time.time() - _HOUR, "further": False}


def _point(word: str | None) -> str | None:
    """Return *word* as a point of a recording: a duration counts from its end."""
    if word is None or _duration(word) is None:
        return word
    return f"last-{word.removeprefix('-')}"


def _duration(word: str) -> float | None:
    try:
        return parse_duration(word.removeprefix("-"))
    except ValueError:
        return None


def _time_of(word: str, ctx: click.Context) -> float:
    now, duration = time.time(), _duration(word)
    if duration is not None:
        return max(now - duration, 0.0)
    from kubectl_spy.core.changes.points import Moment, TimeOfDay, parse_point

    try:
        point: Any = parse_point(word)
    except ValueError:
        point = None
    if isinstance(point, TimeOfDay):
        point = point.moment(now - _DAY, now, None, end=False)
    if not isinstance(point, Moment):
        raise click.UsageError(
            f'"{word}" is no time of a cluster; write 30m, 1h or 15:04', ctx
        )
    if point.time > now:
        raise click.UsageError(f"{word} is not over yet", ctx)
    return float(point.time)
