"""What belongs to the targets, out of all that is watched along with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.cluster.events import tells_fate
from kubectl_spy.core.cluster.target_filter import TargetFilter
from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.sources.resolution.dependents import Dependents


def filter_for(
    selections: Sequence[Selection],
    others: Dependents,
    coverage: Coverage,
    *,
    explained: bool,
) -> TargetFilter:
    """Return a filter for *selections*, and for Events if they are *explained*."""
    also = tells_fate if explained else None
    roots = *selections, *others.beside
    return TargetFilter(roots, others.owned, coverage, also=also)


def admitted_by(
    source: Iterable[Iterable[WatchEvent]],
    filter_: TargetFilter,
    say: Callable[[str], None],
) -> Iterator[Iterable[WatchEvent]]:
    """Yield what *filter_* admits. Say once that a list is missing for too long."""
    said = False
    for events in source:
        yield chain.from_iterable(map(filter_.admit, events))
        if filter_.overdue and not said:
            said = True
            missing = types_of(filter_.coverage.unlisted)
            say(
                f"note: {missing} not listed for an hour: what may "
                "belong to it is not waited for any more, and missing here until it "
                f"changes ({filter_.overdue:,} so far)"
            )
