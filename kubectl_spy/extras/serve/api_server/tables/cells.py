"""What stands in the cells of a table: small functions of an object and a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kubectl_spy.core.cluster.selectors import requirements
from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import time_of
from kubectl_spy.knowledge.paths import Path, values_at

Object = dict[str, JSON]
Cell = Callable[[Object, float], JSON]
"""Returns the value for an object at a time, in seconds since the epoch."""
Paths = Sequence[Path]

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"
_SHOWN = 3  # addresses and hosts in a cell; the others are counted

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 365 * 86400}
_DURATIONS = {  # the units of all that is shorter
    120: "s",
    600: "ms",
    3 * 3600: "m",
    8 * 3600: "hm",
    48 * 3600: "h",
    8 * 86400: "dh",
    2 * 365 * 86400: "d",
    8 * 365 * 86400: "yd",
}


def human_duration(seconds: float) -> str:
    """Return a duration as kubectl prints ages.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go

    >>> [human_duration(each) for each in (-5, 119.9, 125, 3600 * 7 + 60, 86400 * 9)]
    ['<invalid>', '119s', '2m5s', '7h1m', '9d']
    """
    left = int(seconds)
    if left < -1:
        return "<invalid>"
    left = max(left, 0)
    units = next((each for below, each in _DURATIONS.items() if left < below), "y")
    shown = ""
    for unit in units:
        amount, left = divmod(left, _UNITS[unit])
        if amount or not shown:
            shown += f"{amount}{unit}"
    return shown


def value(paths: Paths, default: JSON = "") -> Cell:
    """Return the cell with what is first at one of *paths*, or else *default*."""

    def cell(item: Object, now: float) -> JSON:
        return next((each for each in _found(item, paths) if each != ""), default)

    return cell


def _found(item: Object, paths: Paths) -> Iterator[JSON]:
    for path in paths:
        yield from values_at(item, path)


def _text(paths: Paths, default: JSON = "") -> Cell:
    shown = value(paths, default)
    return lambda item, now: str(shown(item, now))


def _count(paths: Paths) -> Cell:
    return lambda item, now: sum(
        len(each) for each in _found(item, paths) if isinstance(each, (dict, list))
    )


def _age(paths: Paths, default: JSON = UNKNOWN) -> Cell:
    """Return the cell with the time since the first moment that is there."""

    def cell(item: Object, now: float) -> JSON:
        for each in _found(item, paths):
            since = time_of(each) if isinstance(each, str) else None
            if since is not None:
                return human_duration(now - since)
        return default

    return cell


def _ratio(paths: Paths) -> Cell:
    """Return the cell with numbers: `2/3`."""
    return lambda item, now: "/".join(str(number(item, *path)) for path in paths)


def _list(paths: Paths, mark: str = ",") -> Cell:
    return lambda item, now: mark.join(
        each for each in _found(item, paths) if isinstance(each, str)
    )


def _labels(paths: Paths, default: JSON = "") -> Cell:
    """Return the cell with a map of labels: `app=web,tier=api`."""
    (path,) = paths

    def cell(item: Object, now: float) -> JSON:
        labels = sorted(mapping(item, *path).items())
        return ",".join(f"{key}={each}" for key, each in labels) or default

    return cell


def _selector(paths: Paths, default: JSON = "") -> Cell:
    """Return the cell with a LabelSelector in the syntax of `kubectl get -l`."""
    (path,) = paths

    def cell(item: Object, now: float) -> JSON:
        selector = mapping(item, *path)
        parts = [
            (key, f"{key}={each}")
            for key, each in mapping(selector, "matchLabels").items()
        ]
        for each in requirements(selector):
            shown = str(each)
            if each.values:
                shown = f"{each.key} {each.operator.lower()} "
                shown += f"({','.join(sorted(each.values))})"
            parts.append((each.key, shown))
        parts.sort(key=lambda part: part[0])
        return ",".join(shown for _, shown in parts) or default

    return cell


FUNCTIONS: dict[str, Callable[..., Cell]] = {
    "age": _age,
    "count": _count,
    "labels": _labels,
    "list": _list,
    "ratio": _ratio,
    "selector": _selector,
    "slashed": partial(_list, mark="/"),
    "text": _text,
}
"""What a cell may make of what is at paths."""


def is_deleted(item: Object) -> bool:
    return bool(text(item, "metadata", "deletionTimestamp"))


def some(found: list[str], empty: str, total: int | None = None) -> str:
    """Return the first three of *found*, and how many of *total* there are more."""
    if not found:
        return empty
    left = (len(found) if total is None else total) - _SHOWN
    shown = ",".join(found[:_SHOWN])
    return f"{shown} + {left} more..." if len(found) > _SHOWN else shown
