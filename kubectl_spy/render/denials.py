"""Every sentence that denies: "no gaps", "no failure was found", "nothing fails".

People stop looking when they read one. So each is made here, from a `Coverage`, and
says in the same sentence what it does not cover. A test refuses these words elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import tzinfo
from enum import Enum
from functools import partial

from kubectl_spy.core.changes.coverage import Coverage, Hole, Lack, homes_of, type_name
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.wording import first_few, in_brief
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock

_TYPES = 3  # types that are named; more are counted
_KINDS = 5  # the most kinds that are named as not judged


class Denial(Enum):
    """The words that deny."""

    GAPS = "no gaps"
    LINES_MISSING = "no lines missing"
    FAILURE = "no failure was found"
    FAILING = "nothing fails"
    OBJECTS = "it holds no objects"


def denied(
    what: Denial,
    coverage: Coverage,
    began: float,
    until: float,
    zone: tzinfo | None = None,
) -> str:
    """Return a sentence that denies *what* for a time span. Times are in *zone*.

    >>> from kubectl_spy.core.changes.coverage import Coverage
    >>> denied(Denial.GAPS, Coverage(), 0, 1)
    'no gaps'
    """
    if what is Denial.FAILING:  # what came before a list does not matter to it
        began = math.inf
    unknown, since = _known(coverage, began, until, zone)
    if what is Denial.GAPS and (unknown or since):
        return ", ".join([*unknown, *since])
    return f"{what.value}{_but(unknown, since)}"


def _but(unknown: Sequence[str], since: Sequence[str]) -> str:
    but = f"; not known: {', '.join(unknown)}" if unknown else ""
    return "; ".join([but, *since])


def no_failure(
    coverage: Coverage,
    began: float,
    until: float,
    *,
    judged: bool,
    unjudged: Sequence[str],
    damaged: bool,
) -> str:
    """Return what can be said if no failure is known.

    *judged* says whether there was anything to judge, *unjudged* which kinds were not,
    *damaged* whether lines of a recording are missing.
    """
    but = _but(*_known(coverage, began, until))
    if not judged:
        return (
            "cannot tell whether something failed: no Pod and no workload is among "
            f"these objects{but}"
        )
    less = " in what is left" if damaged else ""
    if not any(is_event(each.resource.gvk) for each in coverage.selections):
        less += "; no Events were recorded, so what only they tell is not seen"
    less += but
    if not unjudged:
        return f"{Denial.FAILURE.value}{less}"
    names = ", ".join(first_few(unjudged, _KINDS))
    are = "kind is" if len(unjudged) == 1 else "kinds are"
    return inert(
        f"nothing failed among what is judged{less}; {len(unjudged)} {are} not: {names}"
    )


def not_well(count: int) -> str:
    """Return what follows a denial of failures if *count* objects are not well."""
    return f"; {count:,} {'is' if count == 1 else 'are'} not well" if count else ""


def no_events(such: str, coverage: Coverage, until: float) -> str:
    """Return that no *such* Events were recorded up to a time."""
    unknown, _ = _known(coverage, until, until, kind="Event")
    return f"no {such}Events were recorded{_but(unknown, ())}"


def not_listed(types: str) -> str:
    """Return the note that the lists of *types* have not come."""
    return f"not listed yet: {types}; what is shown lacks them"


def known_since(coverage: Coverage, began: float, until: float) -> str:
    """Return since when all is known, and of which types only since later."""
    lacking = ", ".join(lacks(coverage, began, until))
    return lacking or f"complete since {_moment(began, until, None)}"


def lacks(
    coverage: Coverage, began: float, until: float, zone: tzinfo | None = None
) -> list[str]:
    """Return what is not known of a time span, in a few words each."""
    unknown, since = _known(coverage, began, until, zone)
    return [*unknown, *since]


def _known(
    coverage: Coverage,
    began: float,
    until: float,
    zone: tzinfo | None = None,
    kind: str | None = None,
) -> tuple[list[str], list[str]]:
    """Return what is not known, and since when the rest is, in a few words each."""
    holes = coverage.holes(began, until, kind)
    moment = partial(_moment, until=until, zone=zone)
    found = []
    for each in holes:
        types = _types(each)
        after = f"watched after {moment(each.time)}"
        match each.lack:
            case Lack.UNLISTED:
                found.append(f"{types} not listed")
            case Lack.FORBIDDEN:
                found.append(f"{types} not read (no right to list)")
            case Lack.REFUSED:
                found.append(f"{types} not read (the list failed)")
            case Lack.LOST:
                found.append(f"{types} not {after}")
            case Lack.UNSURE:
                found.append(f"{types} perhaps not {after}")
    since = [each for each in holes if each.lack is Lack.EARLIER]
    complete = []
    if since:
        parts = [f"{moment(it.time)} ({_types(it)})" for it in since]
        homes = homes_of(coverage.selections)
        known = {type_name(each, homes) for each in coverage.selections}
        if known.difference(*(each.types for each in holes)):
            parts.append(f"{moment(began)} (the rest)")
        complete = [f"complete since {', '.join(parts)}"]
    return found, complete


def _types(hole: Hole) -> str:
    return inert(in_brief(hole.types, _TYPES))


def _moment(when: float | None, until: float, zone: tzinfo | None) -> str:
    """Return *when* to the second, with its day if that is not the day of *until*."""
    day, clock = day_and_clock(when or 0.0, zone)
    today, _ = day_and_clock(until, zone)
    return clock[:8] if day == today else f"{day} {clock[:8]}"
