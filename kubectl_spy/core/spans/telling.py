"""Which spans are final, and were told: each is, once.

Collectors do not replace a span that they have by another one with its id. So a span
is told when nothing that comes can make it another one: a phase when it is over,
everything else when its trace is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kubectl_spy.core.spans.assembly import Placed
from kubectl_spy.core.spans.span import Span

_KEPT = 10_000
"""Ids of told spans that are kept in any case, and as many as there are spans."""
_MOMENT = 0.001

_Id = tuple[str, str]


class _Told(NamedTuple):
    end: float | None
    revision: int


class Telling:
    """Keeps what was told, and what is to be; `episodes` says what of it matters."""

    def __init__(self) -> None:
        self.keys: dict[_Id, str] = {}
        self.over: dict[str, dict[str, tuple[float, float]]] = {}
        self._told: dict[_Id, _Told] = {}
        self._ready: list[Span] = []

    def take(self) -> list[Span]:
        """Return what was noted since this was asked last."""
        ready, self._ready = self._ready, []
        return ready

    def note(self, placed: Sequence[Placed], at: float) -> bool:
        """Note what is final as of *at*, and return whether anything was."""
        found = list(self._news(each for each in placed if _is_final(each, at)))
        self._ready += found
        if len(self.keys) > 2 * max(len(placed), _KEPT):
            there = {_id(each) for each in placed}
            spare = [known for known in self.keys if known not in there]
            for known in spare[:-_KEPT]:
                del self.keys[known], self._told[known]
            roots = {each.root for each in placed}
            self.over = {uid: over for uid, over in self.over.items() if uid in roots}
        return bool(found)

    def note_all(self, placed: Iterable[Placed]) -> None:
        """Note what was not, though it may not be final: it is to be let go."""
        self._ready += self._news(placed)

    def all(self, placed: Iterable[Placed]) -> list[Span]:
        """Return what was not told, whether it is final or not."""
        return list(self._news(placed))

    def due(self, placed: Iterable[Placed], at: float) -> float:
        """Return when more becomes final than has as of *at*, if nothing happens."""
        times = (
            each.final
            for each in placed
            if each.final is not None and each.final >= at and self._is_news(each)
        )
        return min(times, default=math.inf) + _MOMENT

    def untold(self, placed: Iterable[Placed]) -> set[tuple[str, str]]:
        """Return the roots and keys of the traces of which not all was told."""
        return {(each.root, each.key) for each in placed if self._is_news(each)}

    def forget(self, traces: Iterable[tuple[str, str]]) -> None:
        """Forget when *traces* were, by their roots and keys: they are let go."""
        for root, key in traces:
            self.over.get(root, {}).pop(key, None)

    def busy(self, placed: Iterable[Placed]) -> set[str]:
        """Return the uids of the objects in traces of which not all was told."""
        objects: dict[str, set[str]] = {}
        open_ones: set[str] = set()
        for each in placed:
            objects.setdefault(each.span.trace_id, set()).add(each.uid)
            if self._is_news(each):
                open_ones.add(each.span.trace_id)
        return set().union(*(objects[trace] for trace in open_ones))

    def _news(self, placed: Iterable[Placed]) -> Iterator[Span]:
        for each in placed:
            if self._is_news(each):
                known = self._told.get(_id(each))
                revision = known.revision + 1 if known else 1
                self._told[_id(each)] = _Told(each.span.end, revision)
                self.keys[_id(each)] = each.key
                if not each.depth and each.final is not None and each.ended is not None:
                    over = self.over.setdefault(each.root, {})
                    over[each.key] = each.span.start, each.ended
                yield each.span._replace(revision=revision)

    def _is_news(self, each: Placed) -> bool:
        """Return whether a span was not told yet, or has become longer."""
        known = self._told.get(_id(each))
        if known is None:
            return True
        if known.end is None or each.span.end is None:
            return known.end is None and each.span.end is not None
        return each.span.end > known.end


def _is_final(each: Placed, at: float) -> bool:
    return each.final is not None and each.final < at


def _id(each: Placed) -> _Id:
    return each.root, each.span.span_id
