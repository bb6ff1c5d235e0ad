"""What stands in the cells of a table: small functions of an object and a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kubectl_spy.core.cluster.label_selectors import requirements
from kubectl_spy.core.fields import mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON

Cell = Callable[[dict[str, JSON], float], JSON]
"""Returns the value for an object at a time, in seconds since the epoch."""

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"
_SHOWN = 3  # addresses and hosts in a cell; the others are counted


def human_duration(seconds: float) -> str:
    """Return a duration as kubectl prints ages.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go

    >>> [human_duration(each) for each in (-5, 119.9, 125, 3600 * 7 + 60, 86400 * 9)]
    ['<invalid>', '119s', '2m5s', '7h1m', '9d']
    """
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    whole = max(whole, 0)
    minutes, hours = whole // 60, whole // 3600
    days, years = hours // 24, hours // 24 // 365
    if whole < 120:
        return f"{whole}s"
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    if years < 8:
        return _two(years, "y", days % 365, "d")
    return f"{years}y"


def _two(first: int, unit: str, second: int, smaller: str) -> str:
    return f"{first}{unit}{second}{smaller}" if second else f"{first}{unit}"


def value(path: str, default: JSON = "") -> Cell:
    """Return the cell with what is at *path*, or else *default*."""
    *above, last = path.split(".")

    def cell(item: dict[str, JSON], now: float) -> JSON:
        found = mapping(item, *above).get(last)
        return default if found is None or found == "" else found

    return cell


def count(path: str) -> Cell:
    """Return the cell with the number of members at *path*."""
    return lambda item, now: size(item, *path.split("."))


def size(item: JSON, *steps: str) -> int:
    """Return how many members the map or list at the path *steps* has."""
    found = mapping(item, *steps[:-1]).get(steps[-1])
    return len(found) if isinstance(found, (dict, list)) else 0


def age_of(path: str, default: str = UNKNOWN) -> Cell:
    """Return the cell with the time since the moment at *path*."""

    def cell(item: dict[str, JSON], now: float) -> JSON:
        since = moment(item, *path.split("."))
        return default if since is None else human_duration(now - since)

    return cell


AGE = age_of("metadata.creationTimestamp")
NAME = value("metadata.name")


def ratio(path: str, of: str) -> Cell:
    """Return the cell with two numbers: `2/3`."""

    def cell(item: dict[str, JSON], now: float) -> JSON:
        return f"{number(item, *path.split('.'))}/{number(item, *of.split('.'))}"

    return cell


def joined(path: str, member: str) -> Cell:
    """Return the cell with a *member* of each element of a list."""

    def cell(item: dict[str, JSON], now: float) -> JSON:
        return ",".join(text(each, member) for each in mappings(item, *path.split(".")))

    return cell


def labels_at(path: str) -> Cell:
    """Return the cell with a map of labels: `app=web,tier=api`."""
    return lambda item, now: _pairs(mapping(item, *path.split("."))) or NONE


def selector_at(path: str, default: str = NONE) -> Cell:
    """Return the cell with a LabelSelector in the syntax of `kubectl get -l`."""

    def cell(item: dict[str, JSON], now: float) -> JSON:
        selector = mapping(item, *path.split("."))
        parts = [(key, f"{key}={each}") for key, each in _labels(selector)]
        for each in requirements(selector):
            shown = str(each)
            if each.values:
                shown = f"{each.key} {each.operator.lower()} "
                shown += f"({','.join(sorted(each.values))})"
            parts.append((each.key, shown))
        parts.sort(key=lambda part: part[0])
        return ",".join(shown for _, shown in parts) or default

    return cell


def _labels(selector: JSON) -> Iterable[tuple[str, JSON]]:
    return mapping(selector, "matchLabels").items()


def _pairs(labels: dict[str, JSON]) -> str:
    return ",".join(f"{key}={each}" for key, each in sorted(labels.items()))


def some(found: list[str], empty: str, total: int | None = None) -> str:
    """Return the first three of *found*, and how many of *total* there are more."""
    if not found:
        return empty
    left = (len(found) if total is None else total) - _SHOWN
    shown = ",".join(found[:_SHOWN])
    return f"{shown} + {left} more..." if len(found) > _SHOWN else shown
