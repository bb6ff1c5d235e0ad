"""Words and numbers for findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone

from kubectl_spy.core.cluster.events import settled
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.fact import Arg, Fact
from kubectl_spy.core.wording import first_few, many, one_line

_SEARCHED = 2000  # the most characters of a message to search
_FINDING = 500  # characters of a finding; quoted messages have their own width
_WIDTH = 240  # the most characters of a quoted message


def message_line(message: str, width: int = _WIDTH) -> str:
    """Return *message*, without varying parts, as a line of at most *width*."""
    return one_line(settled(message), width)


def brief(message: str) -> str:
    """Return the beginning of *message* for a search: a long one takes long."""
    return message[:_SEARCHED]


def listed(words: Iterable[str], most: int | None = None) -> str:
    """Return *words* as a list: the first *most*, and how many more there are.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    *first, last = first_few(list(words) or [""], most)
    return f"{', '.join(first)} and {last}" if first else last


def many_are(count: int, noun: str) -> str:
    """Return a number with its noun and verb: `1 Pod is`, `0 Pods are`."""
    return f"{many(count, noun)} {'is' if count == 1 else 'are'}"


def part_of(count: int, whole: int, noun: str) -> str:
    """Return how many of all, with the noun and the verb: `1 of 3 new Pods are`."""
    return f"{count} of {many_are(whole, noun)}"


def clock_time(seconds: float) -> str:
    """Return *seconds* since the epoch as the API writes times, or "" if it cannot.

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
    """Return the first of *findings* about each part, their messages bounded."""
    first: dict[str, Finding] = {}
    for each in findings:
        first.setdefault(each.about, each)
    return tuple(map(_bounded, first.values()))


def _bounded(found: Finding) -> Finding:
    if not any(map(_is_long, found.args.values())):
        return found
    return found._replace(args=_all_bounded(found.args))


def _all_bounded(args: Mapping[str, Arg]) -> dict[str, Arg]:
    return {name: _arg_bounded(each) for name, each in args.items()}


def _arg_bounded(arg: Arg) -> Arg:
    if isinstance(arg, Fact):
        return _fact_bounded(arg)
    if isinstance(arg, str):
        return _text_bounded(arg)
    if isinstance(arg, int):
        return arg
    return tuple(
        _text_bounded(each) if isinstance(each, str) else _fact_bounded(each)
        for each in arg
    )


def _fact_bounded(fact: Fact) -> Fact:
    return Fact(fact.code, _all_bounded(fact.args))


def _text_bounded(text: str) -> str:
    return message_line(text, _FINDING) if _is_long(text) else text


def _is_long(arg: Arg) -> bool:
    if isinstance(arg, str):
        return len(arg) > _FINDING or "\n" in arg
    if isinstance(arg, Fact):
        return any(map(_is_long, arg.args.values()))
    return type(arg) is tuple and any(_is_long(each) for each in arg)
