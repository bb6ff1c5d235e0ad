"""Say things in one line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from kubectl_spy.core import wording
from kubectl_spy.core.cluster.events import settled
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.wording import many

_SEARCHED = 2000
"""Characters of a message that patterns are looked for in."""
_FINDING = 500
"""Characters of a finding: what it quotes has its own width."""
_WIDTH = 240
"""Characters of somebody else's message: a reason, not a log."""


def one_line(message: str, width: int = _WIDTH) -> str:
    """Return *message*, settled, as one line of at most *width* characters."""
    return wording.one_line(settled(message), width)


def brief(message: str) -> str:
    """Return the beginning of *message*, as much as it is safe to search in.

    Who writes a message may not be who reads it, and patterns take long on long ones.
    """
    return message[:_SEARCHED]


def listed(words: Iterable[str], most: int | None = None) -> str:
    """Return *words* as a list in a sentence, *most* of them and the number of others.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    every = list(words) or [""]
    shown = every[:most]
    if others := len(every) - len(shown):
        shown.append(f"{others} more")
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


def times(number: int) -> str:
    """Return how often something happened.

    >>> times(1), times(4)
    ('1 time', '4 times')
    """
    return "1 time" if number == 1 else f"{number} times"


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


def tidy(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return *findings*, the first about each thing, and each in one line."""
    first: dict[str, Finding] = {}
    for each in findings:
        first.setdefault(each.about, each)
    return tuple(
        each._replace(text=one_line(each.text, _FINDING)) for each in first.values()
    )
