"""Numbers as texts have them: `1 Pod is`, `2 Pods are`, and what a percentage is of."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON


def many(count: int, noun: str) -> str:
    """Return how many there are of *noun*.

    >>> many(1, "old Pod"), many(2, "old Pod"), many(2, "index")
    ('1 old Pod', '2 old Pods', '2 indexes')
    """
    plural = "es" if noun.endswith(("s", "x")) else "s"
    return f"{count} {noun}" + ("" if count == 1 else plural)


def many_are(count: int, noun: str) -> str:
    """Return how many there are, with the verb.

    >>> many_are(1, "Pod"), many_are(0, "Pod")
    ('1 Pod is', '0 Pods are')
    """
    return f"{many(count, noun)} {'is' if count == 1 else 'are'}"


def part_of(count: int, whole: int, noun: str) -> str:
    """Return how many of all there are, with the verb of all.

    >>> part_of(1, 3, "new Pod"), part_of(0, 1, "Pod")
    ('1 of 3 new Pods are', '0 of 1 Pod is')
    """
    return f"{count} of {many_are(whole, noun)}"


def int_or_percent(value: JSON, *steps: str, of: int, up: bool) -> int | None:
    """Return the number found down *steps*, which may be a percentage of *of*.

    Percentages are rounded *up* or down; None if there is no number.
    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-surge

    >>> int_or_percent({"maxSurge": "25%"}, "maxSurge", of=3, up=True)
    1
    """
    *above, last = steps
    found = mapping(value, *above).get(last)
    if type(found) is int:
        return found
    if isinstance(found, str) and re.fullmatch(r"[0-9]{1,9}%", found):
        share = int(found[:-1]) * of
        return -(-share // 100) if up else share // 100
    return None


def clock_time(seconds: float) -> str:
    """Return *seconds* since the epoch as the API writes times; "" out of its range.

    >>> clock_time(1795273445)
    '2026-11-21T15:04:05Z'
    """
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        )
    except (OverflowError, ValueError, OSError):
        return ""
