"""Records of whole objects in, records of what a command shows out.

Live and recorded changes are the same thing from here on: both come as records of
whole objects, and what a command leaves out of them is left out in this one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.changes.view import View
from kubectl_spy.core.patch.compact import Compact, compacted, patch_since
from kubectl_spy.core.patch.operation import PatchOperation

_DEPARTED = 10_000
"""How many objects that left a selection are remembered, for when they return."""


@dataclass(slots=True)
class _Shown:
    """What was last shown of one object."""

    resource_version: str
    time: float | None
    """When, if it was a change that was seen."""
    document: Compact | None
    """What is shown of it now, where that is not to be had from the patches."""


@dataclass(slots=True)
class _Stream:
    present: dict[str, _Shown] = field(default_factory=dict)
    departed: dict[str, _Shown] = field(default_factory=dict)


class Projection:
    """Narrows records to a view, and numbers what is left.

    A version in which nothing shown has changed yields none and takes no `seq`. With
    *watch_only*, what a first list holds is known but yields no record.
    """

    def __init__(self, view: View, *, watch_only: bool = False) -> None:
        self._view = view
        self._watch_only = watch_only
        self._streams: dict[int, _Stream] = {}
        self._seq = 0

    def project(self, records: Iterable[ChangeRecord]) -> Iterator[ChangeRecord]:
        """Yield what there is to show of *records*."""
        return filter(None, map(self.narrowed, records))

    def narrowed(self, record: ChangeRecord) -> ChangeRecord | None:
        """Return what there is to show of *record*, if anything."""
        shown = self._projected(record, self._seq + 1)
        if shown is not None:
            self._seq += 1
        return shown

    def renumber(self) -> None:
        """Give the next record the `seq` 1."""
        self._seq = 0

    def _projected(self, record: ChangeRecord, seq: int) -> ChangeRecord | None:
        if record.of_stream:
            return record._replace(seq=seq)
        stream = self._streams.get(id(record.selection))
        if stream is None:
            stream = self._streams[id(record.selection)] = _Stream()
        identity = record.identity
        match record.type:
            case ChangeType.ADDED:
                return self._added(stream, identity, record, seq)
            case ChangeType.MODIFIED | ChangeType.GAP:
                return self._changed(stream, identity, record, seq)
            case ChangeType.DELETED | ChangeType.LEFT:
                return self._gone(stream, identity, record, seq)

    def _added(
        self, stream: _Stream, identity: str, record: ChangeRecord, seq: int
    ) -> ChangeRecord | None:
        document = self._view.document(record.document)
        stream.present[identity] = _Shown(
            record.resource_version,
            None if record.initial else record.time,
            compacted(document) if self._view.pruned else None,
        )
        if record.initial and self._watch_only:
            return None
        return record._replace(seq=seq, document=document)

    def _changed(
        self, stream: _Stream, identity: str, record: ChangeRecord, seq: int
    ) -> ChangeRecord | None:
        departed = stream.departed.pop(identity, None)
        if departed is not None:
            stream.present[identity] = departed
        shown = stream.present[identity]
        document = self._view.document(record.document)
        patch = self._patch(shown, document, record)
        if not patch and departed is None:
            return None
        previous, shown.resource_version = (
            shown.resource_version,
            record.resource_version,
        )
        last, shown.time = shown.time, record.time
        elapsed = None if last is None else record.time - last
        return record.shown(seq, previous, document, patch, elapsed)

    def _patch(
        self, shown: _Shown, document: object, record: ChangeRecord
    ) -> tuple[PatchOperation, ...]:
        if shown.document is not None:
            before, shown.document = shown.document, compacted(document)
            return tuple(patch_since(before, shown.document, document))
        if not self._view.status:
            return record.patch
        patch = record.patch
        return tuple([s for s in patch if f"{s.path}/".startswith("/status/")])

    def _gone(
        self, stream: _Stream, identity: str, record: ChangeRecord, seq: int
    ) -> ChangeRecord:
        shown = stream.present.pop(identity, None)
        elapsed = None
        if shown is not None:
            elapsed = None if shown.time is None else record.time - shown.time
            if record.type is ChangeType.LEFT:
                shown.time = record.time
                stream.departed[identity] = shown
                if len(stream.departed) > _DEPARTED:
                    stream.departed.pop(next(iter(stream.departed)))
        return record._replace(seq=seq, elapsed=elapsed)
