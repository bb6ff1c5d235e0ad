"""What the page of a recording says of the whole: its extent, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timezone
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import text
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.render.contents import made_earlier
from kubectl_spy.render.moments import day_and_clock, duration
from kubectl_spy.sources.recording.recording import Recording

MOST_GAPS = 50
"""The most GAPs, and the most damages, that are listed."""


def extent(recording: Recording, began: float, ended: float) -> str:
    """Return from when to when the page is, in UTC, and of which context."""
    first, last = _times(began, ended)
    lasted = duration(max(ended - began, 0.0))
    context = recording.header.get("context")
    where = f", context {context}" if context else ""
    return f"{first} to {last} ({lasted}){where}"


def counts(found: Mapping[str, int], late: int) -> str:
    """Return how many there are of each noun, and of changes that were made earlier."""
    words = [
        many(count, noun) if count else f"no {noun}s" for noun, count in found.items()
    ]
    return ", ".join([*words, made_earlier(late)] if late else words)


class Missing(NamedTuple):
    """A time in which changes may be missing, and a sentence on which."""

    since: float
    until: float
    said: str


def missing(gaps: Iterable[ChangeRecord]) -> list[Missing]:
    """Return what *gaps* mean, as one for all types that lack the same time."""
    kinds: dict[tuple[float, float, str], dict[str, None]] = {}
    for gap in gaps:
        times = gap.since or gap.time, gap.until or gap.time
        label = "" if gap.of_stream else gap.full_label
        kinds.setdefault((*times, label), {})[gap.gvk.printed] = None
    found = []
    for (since, until, label), of in sorted(kinds.items()):
        first, last = _times(since, until)
        when = f"between {first} and {last}" if since < until else f"before {first}"
        what = f"versions of {label}" if label else f"changes of {in_brief([*of], 6)}"
        found.append(Missing(since, until, f"GAP: {what} {when} may be missing"))
    return found


def notices(
    recording: Recording,
    gaps: Sequence[Missing],
    ended: float,
    warnings: Iterable[str],
) -> Iterator[tuple[str, str]]:
    """Yield the *warnings*, and what *recording* lacks up to the time *ended*.

    Each comes with an id for its element. Times are in UTC.
    """
    for number, said in enumerate(warnings, 1):
        yield f"w{number}", f"{said}."
    for number, gap in enumerate(gaps[:MOST_GAPS], 1):
        yield f"g{number}", gap.said
    if len(gaps) > MOST_GAPS:
        yield "gaps", f"{many(len(gaps) - MOST_GAPS, 'more GAP')}."
    damages = recording.damages
    for number, each in enumerate(damages[:MOST_GAPS], 1):
        where = "The last line is torn" if each.torn else f"Line {each.line} is damaged"
        yield f"d{number}", f"{where}: {each.reason}"
    if len(damages) > MOST_GAPS:
        yield "damages", f"{many(len(damages) - MOST_GAPS, 'more damaged line')}."
    if recording.unwatched and recording.unwatched < ended:
        since, _ = _times(recording.unwatched, ended)
        yield "unwatched", f"Not everything was watched from {since} on."
    if text(recording.header, "redaction", "secrets") == "shown":
        yield "secrets", "The values of Secrets are not masked in this recording."


def _times(began: float, ended: float) -> tuple[str, str]:
    """Return two times, the second one without a date that is the same."""
    (day, first), (until, last) = (
        day_and_clock(each, timezone.utc) for each in (began, ended)
    )
    dated = "" if day == until else f"{until} "
    return f"{day} {first[:8]}Z", f"{dated}{last[:8]}Z"
