"""What belongs to the targets, out of all that is watched along with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.core.cluster.events import tells_fate
from kubectl_spy.core.cluster.family import Family
from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.sources.resolution.dependents import Dependents


def family_of(
    selections: Sequence[Selection], others: Dependents, *, explained: bool
) -> Family:
    """Return the family of *selections*; with their Events if they are *explained*."""
    also = tells_fate if explained else None
    return Family((*selections, *others.beside), others.owned, also=also)


def of_family(
    source: Iterable[Iterable[WatchEvent]], family: Family, say: Callable[[str], None]
) -> Iterator[Iterable[WatchEvent]]:
    """Yield what *family* admits; say once that a list is missing for too long."""
    said = False
    for events in source:
        yield chain.from_iterable(map(family.admit, events))
        if family.overdue and not said:
            said = True
            say(
                f"note: {types_of(family.missing)} not listed for an hour: what may "
                "belong to it is not waited for any more, and missing here until it "
                f"changes ({family.overdue:,} so far)"
            )
