"""Turns records of whole objects into records of what a command shows.

Live and recorded records are alike here. All that a command leaves out is left out in
this one place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.known import Compact, compacted, patch_since, set_aside
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, as_record
from kubectl_spy.core.jsontext import canonical, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.core.patch.operation import PatchOperation


class Excerpt(NamedTuple):
    """The part of an object to show: by default, all of it."""

    status: bool = False  # whether to show only `.status`
    only: tuple[pointer.Tokens, ...] = ()
    ignore: tuple[pointer.Tokens, ...] = ()

    @property
    def pruned(self) -> bool:
        """Whether `only` or `ignore` leaves parts out."""
        return bool(self.only or self.ignore)

    def document(self, whole: dict[str, JSON]) -> JSON:
        """Return the part of *whole* to show. Pointers start at the root of *whole*.

        With `only` or `ignore` members are sorted: patches give them another order than
        the server, and a replay must print the same.
        """
        shown: JSON = whole
        if self.status:
            shown = {"status": whole["status"]} if "status" in whole else {}
        if self.only:
            shown = pointer.only(shown, self.only)
        if self.ignore:
            shown = pointer.without(shown, self.ignore)
        return loads(canonical(shown)) if self.pruned else shown


def without_noise(obj: dict[str, JSON]) -> dict[str, JSON]:
    """Return *obj* without `metadata.managedFields` and `metadata.resourceVersion`."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    kept = {
        name: value
        for name, value in metadata.items()
        if name != "managedFields" and name != "resourceVersion"
    }
    return {**obj, "metadata": kept}


def _meets(pattern: pointer.Tokens, tokens: pointer.Tokens) -> bool:
    """Return whether one of two paths leads to the other. `*` is any token."""
    return all(one in (other, "*") for one, other in zip(pattern, tokens, strict=False))


@dataclass(slots=True)
class _Shown:
    """The last shown version of one object."""

    resource_version: str
    time: float | None  # when it changed, or None if it was in the first list
    document: Compact | None  # the shown document, if the excerpt is pruned


@dataclass(slots=True)
class _Stream:
    present: dict[str, _Shown] = field(default_factory=dict)
    departed: dict[str, _Shown] = field(default_factory=dict)


class Projection:
    """Cuts records down to an excerpt, and numbers them.

    A version without a change in the excerpt yields no record, and takes no `seq`. With
    *watch_only* the objects of a first list yield no record, and *narrowing* leaves out
    more. *keys* are those of the lists in the objects.
    """

    def __init__(
        self,
        excerpt: Excerpt,
        *,
        watch_only: bool = False,
        narrowing: Narrowing = Narrowing(),  # noqa: B008
        keys: TypeKeys | None = None,
    ) -> None:
        self._excerpt = excerpt
        self._narrowing = narrowing
        self._watch_only = watch_only
        self._keys = keys or TypeKeys()
        self._streams: dict[int, _Stream] = {}
        self._seq = 0

    def narrowed(
        self, record: ChangeRecord, *, shown: bool = True
    ) -> ChangeRecord | None:
        """Return the shown part of *record*, or None if nothing shown has changed.

        One that is not *shown* is only taken in, and takes no number.
        """
        found = self._projected(record, self._seq + 1)
        if not shown or found is None or not self._narrowing.keeps(found):
            return None
        self._seq += 1
        return found

    def earlier(self, write: EarlierWrite) -> EarlierWrite | None:
        """Return the shown part of an earlier write, or None."""
        patch = tuple(each for each in write.patch if self._is_shown(each.path))
        fields = tuple(each for each in write.fields if self._is_shown(each))
        shown = write._replace(patch=patch, fields=fields)
        if not (patch or fields) or not self._narrowing.keeps(as_record(shown)):
            return None
        return shown

    def _is_shown(self, path: str) -> bool:
        if self._excerpt.status and not path.startswith("/status"):
            return False
        tokens = pointer.parse(path)
        only = self._excerpt.only or ((),)
        above = [each for each in self._excerpt.ignore if len(each) <= len(tokens)]
        met, ignored = (any(_meets(it, tokens) for it in of) for of in (only, above))
        return met and not ignored

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
        document = self._excerpt.document(record.document)
        stream.present[identity] = _Shown(
            record.resource_version,
            None if record.initial else record.time,
            compacted(document) if self._excerpt.pruned else None,
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
        document = self._excerpt.document(record.document)
        patch = self._patch(shown, document, record)
        if not patch and departed is None:
            return None
        previous, last = shown.resource_version, shown.time
        shown.resource_version, shown.time = record.resource_version, record.time
        elapsed = None if last is None else record.time - last
        return record._replace(
            seq=seq, previous=previous, document=document, patch=patch, elapsed=elapsed
        )

    def _patch(
        self, shown: _Shown, document: object, record: ChangeRecord
    ) -> tuple[PatchOperation, ...]:
        if shown.document is not None:
            before, shown.document = shown.document, compacted(document)
            keys = self._keys.of(record.selection)
            return tuple(patch_since(before, shown.document, document, keys))
        if not self._excerpt.status:
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
                set_aside(stream.departed, identity, shown)
        return record._replace(seq=seq, elapsed=elapsed)
