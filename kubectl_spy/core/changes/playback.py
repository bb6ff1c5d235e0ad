"""Turns the lines of a recording into records of whole objects, as if live.

Damaged and missing lines become GAPs. A patch is applied only to the version that it
was made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_spy.core.changes import lines
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.earlier import earlier_of
from kubectl_spy.core.changes.known import Compact, compacted, expanded, set_aside
from kubectl_spy.core.changes.line_reading import (
    check_document,
    managers_of,
    members_of,
)
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    ChangeType,
    Edited,
    Horizon,
    Item,
    Listed,
    Logged,
    OfStream,
    Refused,
    Watched,
    stream_gap,
)
from kubectl_spy.core.changes.version_order import StreamOrder, VersionOrder
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import seconds

_TYPES = {each.value: each for each in ChangeType} | {"SNAPSHOT": ChangeType.ADDED}
_NO_PATCH: tuple[PatchOperation, ...] = ()


@dataclass(slots=True)
class _Stream:
    order: StreamOrder[ChangeRecord]
    documents: dict[str, JSON] = field(default_factory=dict)
    """The last certain version of each object, by identity."""
    departed: dict[str, Compact] = field(default_factory=dict)


OF_STREAM = (
    lines.ListedLine | lines.RefusedLine | lines.ReconnectLine | lines.HorizonLine
)


def said_of_streams(line: lines.Line, follow: VersionOrder[Any]) -> Iterator[OfStream]:
    """Yield what *line* says of whole streams, which *follow* knows. Raises BadLine."""
    if isinstance(line, lines.ReconnectLine) and not line.state:
        if not follow.tells_states:
            every = [each.selection for each in follow.orders.values()]
            yield from states(line.text, line.time, every)
        return
    selection = follow.order(line.stream).selection
    match line:
        case lines.ListedLine():
            yield Listed(selection, line.objects, line.time)
        case lines.RefusedLine():
            yield Refused(selection, line.message, line.time, line.forbidden)
        case lines.ReconnectLine():
            yield Watched(selection, line.state == "back", line.text, line.time)
        case lines.HorizonLine():
            yield Horizon(selection, line.time, *line[4:])


class Playback:
    """Turns lines, in order, into items. `lost` notes that some are missing.

    *since* is the time of the last line before the first one. *keys* are those of the
    lists that are known, and learn from the lines. Without *bodies*, changes come
    without documents and patches, which are not read.
    """

    def __init__(
        self, since: float = 0.0, keys: TypeKeys | None = None, *, bodies: bool = True
    ) -> None:
        self._version_order: VersionOrder[ChangeRecord] = VersionOrder()
        self._streams: dict[int, _Stream] = {}
        self._coverage = Coverage()
        self._time = since
        self._keys = keys or TypeKeys()
        self._bodies = bodies

    @property
    def selections(self) -> list[Selection]:
        """The selections since the last HEADER or RESUME."""
        return [each.selection for each in self._version_order.orders.values()]

    def lost(self) -> None:
        """Note that lines are missing or damaged."""
        self._version_order.lose()

    def observe(self, line: lines.Line, skipped: int = 0) -> Iterator[Item | Aside]:
        """Return the items of *line*, usually one record.

        *skipped* lines before it were left out. Raises BadLine if it does not fit the
        lines before it, or its body is damaged. It counts as lost.
        """
        if isinstance(line, lines.HeaderLine) and line.begins_run:
            yield from self._coverage.end_run(self._time)
        is_lost = self._version_order.follow(line, skipped)
        try:
            yield from self._observe(line, is_lost=is_lost)
        except lines.BadLine:
            self.lost()
            raise

    def _observe(self, line: lines.Line, *, is_lost: bool) -> Iterator[Item | Aside]:
        time = line.time
        if is_lost:
            for selection in self.selections:
                yield stream_gap(selection, self._time or time, time)
        self._time = max(self._time, time)
        if isinstance(line, lines.ObjectLine):
            if line.type == "SNAPSHOT":
                yield from self._snapshot(line, time)
            else:
                yield from self._change(line, time)
        elif isinstance(line, lines.StreamGap):
            stream = self._stream(line)
            yield from self._caught_up(stream, time)
            gap = stream_gap(stream.order.selection, line.since, line.until)
            yield gap._replace(seq=line.seq, time=time, namespace=line.names[2])
        elif isinstance(line, lines.StreamLine):
            self.declare(line)
        elif isinstance(line, lines.ListedLine):
            yield from self._caught_up(self._stream(line), time)
            yield from self._news(line)
        elif isinstance(line, OF_STREAM):
            yield from self._news(line)
        elif isinstance(line, lines.LogLine):
            yield Logged(line.run, line.lines, line.cut, time)
        elif isinstance(line, lines.PastLine):
            selection = self._stream(line).order.selection
            try:
                yield earlier_of(line.members, time, selection)
            except ValueError as error:
                raise lines.BadLine(str(error)) from None
        elif isinstance(line, lines.KeysLine):
            selection = self._stream(line).order.selection
            self._keys.of(selection).note(line.path, line.key)
        # Other lines are about the recording itself, or from a newer minor version.

    def _news(self, line: lines.Line) -> Iterator[OfStream]:
        """Yield what *line* says of whole streams, as far as that is news."""
        for item in said_of_streams(line, self._version_order):
            if self._coverage.observe(item):
                yield item

    def declare(self, line: lines.StreamLine) -> None:
        """Register a stream, which may continue one of the run before."""
        order = self._version_order.declare(line)
        known = self._streams.get(line.stream)
        if known is None or known.order is not order:
            self._streams[line.stream] = _Stream(order)

    def _stream(self, line: lines.Line) -> _Stream:
        self._version_order.order(line.stream)
        return self._streams[line.stream]

    def _caught_up(self, stream: _Stream, time: float) -> Iterator[ChangeRecord]:
        for held in self._version_order.caught_up(stream.order):
            yield as_there(held, time)

    def _change(self, line: lines.ObjectLine, time: float) -> list[ChangeRecord]:
        stream = self._stream(line)
        order, seen = stream.order, line.seen
        members = self._members(line)
        if not order.shows(line):
            return []
        document, patch = None, _NO_PATCH
        if self._bodies:
            document, patch = _version(line.type, members, seen.identity, stream)
        record = self._record(line, stream, members, document, patch)
        order.take(line.type, seen)
        new = self._version_order.new(order, record, seen)
        return [as_there(each, time) if there else each for each, there in new]

    def _members(self, line: lines.ObjectLine) -> dict[str, Any]:
        """Return what a record needs beside the head of *line*."""
        if self._bodies or line.type == "GAP":
            return members_of(line)
        return {"managers": managers_of(line.raw)}

    def _record(
        self,
        line: lines.ObjectLine,
        stream: _Stream,
        members: dict[str, Any],
        document: JSON,
        patch: tuple[PatchOperation, ...] = (),
    ) -> ChangeRecord:
        get = members.get
        written, edited = get("written"), get("edited")
        return ChangeRecord(
            seq=line.seq,
            time=line.time,
            type=_TYPES[line.type],
            selection=stream.order.selection,
            gvk=stream.order.selection.resource.gvk,
            namespace=line.names[2],
            name=line.names[3],
            uid=line.uid,
            resource_version=line.seen.version,
            initial=line.seen.initial,
            inferred=line.inferred,
            listed=line.listed,
            previous=line.previous,
            managers=tuple(get("managers") or ()),
            document=document,
            patch=patch,
            written=None if written is None else seconds(written),
            edited=None if edited is None else _edited(edited),
            bound=get("timeIsBound") is True,
            first=get("firstRemembered") is True,
        )

    def _snapshot(self, line: lines.ObjectLine, time: float) -> Iterator[ChangeRecord]:
        stream = self._stream(line)
        order, seen = stream.order, line.seen
        members = self._members(line)
        record = self._record(line, stream, members, members.get("object"))
        version = order.present.get(seen.identity)
        before = stream.documents.get(seen.identity)
        if self._bodies:
            check_document(record.document)
        shows = order.shows(line)
        order.take("SNAPSHOT", seen)
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
                    before, record.document, keys=self._keys.of(order.selection)
                )
            ),
        )
        if not shows:
            raise lines.BadLine("its object is not what the patches before it give")


def _version(
    kind: str, members: dict[str, Any], identity: str, stream: _Stream
) -> tuple[JSON, tuple[PatchOperation, ...]]:
    """Return the document of a line, which the stream keeps, and its patch.

    Raises BadLine.
    """
    documents, departed = stream.documents, stream.departed
    if kind == "ADDED":
        document = members["object"]
        check_document(document)
        documents[identity] = document
        return document, ()
    if kind == "DELETED":
        documents.pop(identity, None)
        return members.get("object"), ()
    if kind == "LEFT":
        if identity in documents:
            set_aside(departed, identity, compacted(documents.pop(identity)))
        return members.get("object"), ()
    if identity not in documents and identity in departed:
        documents[identity] = expanded(departed.pop(identity))
    before = documents.get(identity)
    try:
        document, patch = applied(before, members["patch"])
    except PatchConflict as error:
        raise lines.BadLine(f"its patch does not apply: {error}") from None
    # Most patches share the metadata with the version before.
    if (
        before is None
        or type(document) is not dict
        or document.get("metadata") is not before["metadata"]
    ):
        check_document(document)
    documents[identity] = document
    return document, patch


def as_there(record: ChangeRecord, time: float) -> ChangeRecord:
    """Return *record* as an ADDED of a first list at *time*."""
    return record._replace(
        time=time,
        type=ChangeType.ADDED,
        initial=True,
        listed=False,
        previous=None,
        managers=(),
        patch=(),
    )


def _edited(value: JSON) -> Edited:
    return Edited(seconds(value["time"]), value["manager"])


# What recordings before format 1.6 say only in sentences: their RECONNECT lines.
#
# This is the one place that reads a sentence of ours. Later formats have the members
# `stream` and `state`.

_NOTE, _NOT_LISTED = "note: ", "note: not listed yet:"
_MORE = re.compile(r" and \d+ more$")
_BACK = re.compile(r"watching( again)?(; an unknown number of versions was missed.*)?")


def note_in(message: str) -> str:
    """Return *message* if it is a note, or "" if it is about a watch.

    Of lists that are missing each view finds out by itself.
    """
    is_note = message.startswith(_NOTE) and not message.startswith(_NOT_LISTED)
    return message if is_note else ""


def states(
    message: str, time: float, selections: Iterable[Selection]
) -> Iterator[Watched]:
    """Yield what *message* says of the watches of *selections*.

    It names some types, and may count more. Of those that it may have counted, it is
    not certain that they broke, nor that they are back.
    """
    if message.startswith(_NOTE):
        return
    every = list(selections)
    types = {each.resource.group_resource for each in every}
    named, colon, text = message.partition(": ")
    more = _MORE.search(named)
    names = set(_MORE.sub("", named).split(", "))
    if not colon or not names <= types:
        names, text, more = types if len(types) == 1 else set(), message, None
    back = _BACK.fullmatch(text) is not None
    for each in every:
        if each.resource.group_resource in names:
            yield Watched(each, back, text, time)
        elif not back and (more or not names):
            yield Watched(each, None, text, time)
