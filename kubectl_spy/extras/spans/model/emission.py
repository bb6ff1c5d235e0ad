"""Which spans are final, and which were emitted: each is emitted once.

Collectors keep all versions of a span with the same id. So a span is emitted when it
can no longer change: a phase when it ends, everything else when its trace is over.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from kubectl_spy.extras.spans.model.assembly import Placed
from kubectl_spy.extras.spans.model.span import Span

_KEPT = 10_000
"""Emitted spans are forgotten once there are more than twice this many, and more than
twice the current ones. The last ones of this number stay."""
_MOMENT = 0.001

SpanKey = tuple[str, str]  # the uid of the root, and the id of the span
TraceKey = tuple[str, str]  # the uid of the root, and the key of the episode


class Emission:
    """Collects the spans to emit, and remembers those emitted."""

    def __init__(self) -> None:
        self.keys: dict[SpanKey, str] = {}  # the episode of each emitted span
        self.over: dict[str, dict[str, tuple[float, float]]] = {}
        """By root: start and end of the episodes that were over when emitted."""
        self._emitted: dict[SpanKey, tuple[float | None, int]] = {}  # end and revision
        self._pending: list[Span] = []

    def take(self) -> list[Span]:
        """Return the spans added since the last call."""
        pending, self._pending = self._pending, []
        return pending

    def add(self, placed: Iterable[Placed]) -> None:
        """Emit spans even if they are not final."""
        self._pending += self.changed(placed)

    def add_final(self, placed: Sequence[Placed], at: float) -> bool:
        """Emit the spans that are final *at* a time; return whether there were any."""
        found = list(
            self.changed(it for it in placed if it.final is not None and it.final < at)
        )
        self._pending += found
        if len(self.keys) > 2 * max(len(placed), _KEPT):
            self._forget_old(placed)
        return bool(found)

    def _forget_old(self, placed: Sequence[Placed]) -> None:
        current = {_key(each) for each in placed}
        old = [each for each in self.keys if each not in current]
        for each in old[:-_KEPT]:
            del self.keys[each], self._emitted[each]
        roots = {each.root for each in placed}
        self.over = {uid: over for uid, over in self.over.items() if uid in roots}

    def changed(self, placed: Iterable[Placed]) -> Iterator[Span]:
        """Mark spans as emitted; yield those that are new, or longer than before."""
        for each in placed:
            if not self._is_changed(each):
                continue
            key = _key(each)
            _, revision = self._emitted.get(key, (None, 0))
            self._emitted[key] = each.span.end, revision + 1
            self.keys[key] = each.key
            if not each.depth and each.final is not None and each.ended is not None:
                over = self.over.setdefault(each.root, {})
                over[each.key] = each.span.start, each.ended
            yield each.span._replace(revision=revision + 1)

    def _is_changed(self, each: Placed) -> bool:
        key = _key(each)
        if key not in self._emitted:
            return True
        before, after = self._emitted[key][0], each.span.end
        if before is None or after is None:
            return before is None and after is not None
        return after > before

    def next_final(self, placed: Iterable[Placed], at: float) -> float:
        """Return when the next span becomes final after *at*, without new records."""
        times = (
            each.final
            for each in placed
            if each.final is not None and each.final >= at and self._is_changed(each)
        )
        return min(times, default=math.inf) + _MOMENT

    def unfinished(self, placed: Iterable[Placed]) -> set[TraceKey]:
        """Return the traces of which spans are not emitted yet."""
        return {(each.root, each.key) for each in placed if self._is_changed(each)}

    def unfinished_objects(self, placed: Sequence[Placed]) -> set[str]:
        """Return the uids of the objects in such traces."""
        traces = self.unfinished(placed)
        return {each.uid for each in placed if (each.root, each.key) in traces}

    def forget(self, traces: Iterable[TraceKey]) -> None:
        for root, key in traces:
            self.over.get(root, {}).pop(key, None)


def _key(each: Placed) -> SpanKey:
    return each.root, each.span.span_id
