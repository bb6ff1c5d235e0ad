"""Turns the lines of a recording into records of whole objects, as if live.

Damaged and missing lines become GAPs. A patch is applied only to the version that it
was made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_spy.core.changes.known import Compact, compacted, expanded, set_aside
from kubectl_spy.core.changes.line_members import check_document
from kubectl_spy.core.changes.record import (
    LOG_MEMBERS,
    ChangeRecord,
    ChangeType,
    ContainerRun,
    Edited,
    Item,
    Listed,
    Logged,
    Refused,
    record_of,
)
from kubectl_spy.core.changes.recording_format import (
    CHANGES,
    FORBIDDEN,
    BadLine,
    key_in,
    selection_of,
    stream_number,
)
from kubectl_spy.core.changes.repeats import Sighting
from kubectl_spy.core.changes.succession import Strand, Succession
from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.core.times import seconds

_GONE = ("DELETED", "LEFT")
_TYPES = {each.value: each for each in ChangeType}


@dataclass(slots=True)
class _Stream:
    strand: Strand[ChangeRecord]
    documents: dict[str, JSON] = field(default_factory=dict)
    """The last certain version of each object, by identity."""
    departed: dict[str, Compact] = field(default_factory=dict)
    listed: bool = False


class Playback:
    """Turns decoded lines, in order, into items. `lost` notes that some are missing.

    *since* is the time of the last line before the first one. *keys* are those of the
    lists that are known, and learn from the lines.
    """

    def __init__(self, since: float = 0.0, keys: TypeKeys | None = None) -> None:
        self._succession: Succession[ChangeRecord] = Succession()
        self._streams: dict[int, _Stream] = {}
        self._time = since
        self._keys = keys or TypeKeys()

    @property
    def selections(self) -> list[Selection]:
        """The selections since the last HEADER or RESUME."""
        return [each.selection for each in self._succession.strands.values()]

    def lost(self) -> None:
        """Note that lines are missing or damaged."""
        self._succession.lose()

    def observe(
        self, line: dict[str, Any], skipped: int = 0
    ) -> Iterator[Item | Logged]:
        """Yield the items of *line*, usually one record.

        *skipped* lines before it were left out. Raises BadLine if it does not fit the
        lines before it. It counts as lost.
        """
        seq, kind = line["seq"], line["type"]
        try:
            time = seconds(line["time"])
        except ValueError as error:
            raise self._bad(f"its time is none ({error})") from None
        if self._succession.follow(kind, seq, skipped):
            yield from self._admit(time)
        self._time = max(self._time, time)
        if kind in CHANGES:
            yield from self._change(line, time)
        elif kind == "SNAPSHOT":
            yield from self._snapshot(line, time)
        elif kind == "STREAM":
            self._declare(line)
        elif kind == "LISTED":
            stream = self._stream(line)
            yield from self._caught_up(stream, time)
            if not stream.listed:
                stream.listed = True
                count = line.get("objects")
                count = count if type(count) is int else 0
                yield Listed(stream.strand.selection, count, time)
        elif kind == "REFUSED":
            message = line.get("message")
            stream = self._stream(line)
            if not stream.listed:  # a later segment says it again
                stream.listed = True
                forbidden = line.get("reason") == FORBIDDEN
                yield Refused(stream.strand.selection, str(message), time, forbidden)
        elif kind == "LOG":
            yield self._log(line, time)
        elif kind == "KEYS":
            selection = self._stream(line).strand.selection
            try:
                self._keys.of(selection).note(*key_in(line))
            except BadLine as error:
                raise self._bad(str(error)) from None
        # Other lines are about the recording itself, or from a newer minor version.

    def _declare(self, line: dict[str, Any]) -> None:
        number = stream_number(line)
        if number < 0:
            raise self._bad("it has no number of a stream")
        self.declare(number, selection_of(line), "since" in line)

    def declare(self, number: int, selection: Selection, resumed: bool) -> None:
        """Take in a stream, which may go on from an earlier run."""
        strand = self._succession.declare(number, selection, resumed=resumed)
        known = self._streams.get(number)
        if known is None or known.strand is not strand:
            self._streams[number] = _Stream(strand)

    def _stream(self, line: dict[str, Any]) -> _Stream:
        try:
            self._succession.strand(number := stream_number(line))
        except BadLine as error:
            raise self._bad(str(error)) from None
        return self._streams[number]

    def _caught_up(self, stream: _Stream, time: float) -> Iterator[ChangeRecord]:
        for held in self._succession.caught_up(stream.strand):
            yield as_there(held, time)

    def _admit(self, time: float) -> Iterator[ChangeRecord]:
        """Yield a GAP for each stream."""
        for selection in self.selections:
            yield ChangeRecord(
                seq=0,
                time=time,
                type=ChangeType.GAP,
                selection=selection,
                gvk=selection.resource.gvk,
                namespace=selection.namespace,
                since=self._time or time,
                until=time,
            )

    def _change(self, line: dict[str, Any], time: float) -> Iterator[ChangeRecord]:
        stream = self._stream(line)
        record = self._record(line, stream, time)
        strand, kind = stream.strand, line["type"]
        if not record.name and kind == "GAP":  # of the stream
            yield from self._caught_up(stream, time)
            yield record
            return
        seen = _sighting(record, gone=kind in _GONE)
        if self._shows(line, strand, record, seen):
            record = self._with_document(line, record, seen.identity, stream)
            strand.take(kind, seen)
            for each, there in self._succession.new(strand, record, seen):
                yield as_there(each, time) if there else each

    def _shows(
        self,
        line: dict[str, Any],
        strand: Strand[ChangeRecord],
        record: ChangeRecord,
        seen: Sighting,
    ) -> bool:
        names = line["apiVersion"], line["kind"], record.namespace, record.name
        try:
            return strand.shows(line["type"], seen, record.previous, names)
        except BadLine as error:
            raise self._bad(str(error)) from None

    def _with_document(
        self, line: dict[str, Any], record: ChangeRecord, identity: str, stream: _Stream
    ) -> ChangeRecord:
        """Return *record* with its document, which the stream keeps."""
        documents, departed = stream.documents, stream.departed
        match record.type:
            case ChangeType.MODIFIED | ChangeType.GAP:
                if identity not in documents and identity in departed:
                    documents[identity] = expanded(departed.pop(identity))
                before = documents.get(identity)
                try:
                    document, patch = applied(before, line["patch"])
                except PatchConflict as error:
                    raise self._bad(f"its patch does not apply: {error}") from None
                # Most patches share the metadata with the version before.
                if (
                    before is None
                    or type(document) is not dict
                    or document.get("metadata") is not before["metadata"]
                ):
                    self._check(document)
                documents[identity] = document
                return record.patched(document, patch)
            case ChangeType.ADDED:
                self._check(record.document)
                documents[identity] = record.document
            case ChangeType.DELETED:
                documents.pop(identity, None)
            case ChangeType.LEFT:
                if identity in documents:
                    set_aside(departed, identity, compacted(documents.pop(identity)))
        return record

    def _record(
        self, line: dict[str, Any], stream: _Stream, time: float
    ) -> ChangeRecord:
        get = line.get
        since, until, written = get("since"), get("until"), get("written")
        edited = get("edited")
        return record_of(
            (
                line["seq"],
                time,
                _TYPES[line["type"]],
                stream.strand.selection,
                stream.strand.selection.resource.gvk,
                get("namespace"),
                get("name") or "",
                get("uid") or "",
                get("resourceVersion") or "",
                get("initial") is True,
                get("inferred") is True,
                get("listed") is True,
                get("previous"),
                tuple(get("managers") or ()),
                get("object"),
                (),
                None,
                None if since is None else seconds(since),
                None if until is None else seconds(until),
                None if written is None else seconds(written),
                None if edited is None else _edited(edited),
                None,
                get("timeIsBound") is True,
                get("firstRemembered") is True,
            )
        )

    def _snapshot(self, line: dict[str, Any], time: float) -> Iterator[ChangeRecord]:
        stream = self._stream(line)
        record = self._record({**line, "type": "ADDED"}, stream, time)
        self._check(record.document)
        strand, seen = stream.strand, _sighting(record, gone=False)
        version = strand.present.get(seen.identity)
        before = stream.documents.get(seen.identity)
        shows = self._shows(line, strand, record, seen)
        strand.take("SNAPSHOT", seen)
        stream.documents[seen.identity] = record.document
        if not shows and canonical(before) == canonical(record.document):
            return
        if version is None:
            # A segment that is read by itself begins like this.
            yield record._replace(initial=True)
            return
        yield record._replace(
            type=ChangeType.GAP,
            listed=True,
            previous=version,
            patch=tuple(
                operations_between(
                    before, record.document, keys=self._keys.of(strand.selection)
                )
            ),
        )
        if not shows:
            raise self._bad("its object is not what the patches before it give")

    def _log(self, line: dict[str, Any], time: float) -> Logged:
        lines = line.get("lines")
        if not isinstance(lines, list) or not all(type(each) is str for each in lines):
            raise self._bad("it is no log")
        run = ContainerRun._make(text(line, each) for each in LOG_MEMBERS)
        return Logged(run, tuple(lines), line.get("cut") is True, time)

    def _check(self, document: JSON) -> None:
        try:
            check_document(document)
        except BadLine as error:
            raise self._bad(str(error)) from None

    def _bad(self, reason: str) -> BadLine:
        self.lost()
        return BadLine(reason)


def as_there(record: ChangeRecord, time: float) -> ChangeRecord:
    """Return the version of *record* as a first list shows it, at *time*."""
    return record._replace(
        time=time,
        type=ChangeType.ADDED,
        initial=True,
        listed=False,
        previous=None,
        managers=(),
        patch=(),
    )


def _sighting(record: ChangeRecord, *, gone: bool) -> Sighting:
    identity = record.uid or record.identity  # quicker than the property alone
    return Sighting(identity, record.resource_version, record.initial, gone)


def _edited(value: JSON) -> Edited:
    return Edited(seconds(value["time"]), value["manager"])
