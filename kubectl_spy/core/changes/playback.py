"""Turns the lines of a recording into records of whole objects, as if live.

Damaged and missing lines become GAPs. A patch is applied only to the version that it
was made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kubectl_spy.core.changes.known import Compact, compacted, expanded, set_aside
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
from kubectl_spy.core.changes.recording_format import CHANGES, BadLine, selection_of
from kubectl_spy.core.changes.repeats import CatchingUp, Repeats
from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.times import seconds

_TYPES = {each.value: each for each in ChangeType}


@dataclass(slots=True)
class _Object:
    """The last certain version of one object."""

    resource_version: str
    document: JSON


@dataclass(slots=True)
class _Stream:
    selection: Selection
    objects: dict[str, _Object] = field(default_factory=dict)
    departed: dict[str, tuple[str, Compact]] = field(default_factory=dict)
    """The resourceVersion and document of each."""
    listed: bool = False
    catching_up: CatchingUp | None = None
    """Leaves out repeated versions until the stream has caught up."""
    complete: bool = True  # whether no line was lost


class Playback:
    """Turns decoded lines, in order, into items. `lost` notes that some are missing.

    *since* is the time of the last line before the first one.
    """

    def __init__(self, since: float = 0.0) -> None:
        self._streams: dict[int, _Stream] = {}
        self._earlier: list[_Stream] = []  # those of the run before
        self._repeats = Repeats()
        self._seq = 0
        self._time = since
        self._lost = False

    @property
    def selections(self) -> list[Selection]:
        """The selections since the last HEADER or RESUME."""
        return [stream.selection for stream in self._streams.values()]

    def lost(self) -> None:
        """Note that lines are missing or damaged."""
        self._lost = True

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
        if seq != self._seq + skipped + 1 and self._seq:
            self._lost = True
        self._seq = seq
        if kind == "RESUME" or (kind == "HEADER" and seq == 1):
            self._earlier, self._streams = list(self._streams.values()), {}
            self._lost = False
        if self._lost:
            self._lost = False
            yield from self._admit(time)
        self._time = max(self._time, time)
        if kind in CHANGES:
            for record in self._change(line, time):
                yield from self._new(record, self._stream(line))
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
                yield Listed(stream.selection, count, time)
        elif kind == "REFUSED":
            message = line.get("message")
            stream = self._stream(line)
            if not stream.listed:  # a later segment says it again
                stream.listed = True
                yield Refused(stream.selection, str(message), time)
        elif kind == "LOG":
            yield self._log(line, time)
        # Other lines are about the recording itself, or from a newer minor version.

    def _declare(self, line: dict[str, Any]) -> None:
        number = line.get("stream")
        if type(number) is not int:
            raise self._bad("it has no number of a stream")
        self.declare(number, selection_of(line), "since" in line)

    def declare(self, number: int, selection: Selection, resumed: bool) -> None:
        """Take in a stream, which may go on from an earlier run."""
        known = self._streams.get(number)
        if known is None or known.selection != selection:
            self._streams[number] = self._continued(selection, resumed)

    def _continued(self, selection: Selection, resumed: bool) -> _Stream:
        """Return the stream of *selection*, which may go on from an earlier one."""
        for earlier in self._earlier if resumed else ():
            if earlier.selection == selection:
                versions = {
                    identity: known.resource_version
                    for identity, known in earlier.objects.items()
                }
                before = earlier.catching_up or CatchingUp({})
                return _Stream(
                    earlier.selection, catching_up=CatchingUp(before.last(versions))
                )
        return _Stream(selection)

    def _new(self, record: ChangeRecord, stream: _Stream) -> Iterator[ChangeRecord]:
        """Yield *record*, unless it was written again."""
        if record.of_stream:
            yield from self._caught_up(stream, record.time)
        if stream.catching_up is not None:
            yield from stream.catching_up.passed(record, self._repeats)
            return
        if not record.of_stream:
            self._repeats.note(record)
        yield record

    def _caught_up(self, stream: _Stream, time: float) -> Iterator[ChangeRecord]:
        if stream.catching_up is not None:
            yield from stream.catching_up.rest(time)
            stream.catching_up = None

    def _stream(self, line: dict[str, Any]) -> _Stream:
        number = line.get("stream")
        stream = self._streams.get(number) if type(number) is int else None
        if stream is None:
            raise self._bad("its stream was not declared")
        return stream

    def _admit(self, time: float) -> Iterator[ChangeRecord]:
        """Yield a GAP for each stream."""
        for stream in self._streams.values():
            stream.complete = False
            yield ChangeRecord(
                seq=0,
                time=time,
                type=ChangeType.GAP,
                selection=stream.selection,
                gvk=stream.selection.resource.gvk,
                namespace=stream.selection.namespace,
                since=self._time or time,
                until=time,
            )

    def _change(self, line: dict[str, Any], time: float) -> Iterator[ChangeRecord]:
        stream = self._stream(line)
        record = self._record(line, stream, time)
        if record.of_stream:
            yield record
            return
        identity = record.identity
        known = stream.objects.get(identity)
        match record.type:
            case ChangeType.ADDED:
                self._check(record.document)
                stream.objects[identity] = _Object(
                    record.resource_version, record.document
                )
                yield record
            case ChangeType.DELETED:
                stream.objects.pop(identity, None)
                yield record
            case ChangeType.LEFT:
                if known is not None:
                    del stream.objects[identity]
                    document = compacted(known.document)
                    version = known.resource_version
                    set_aside(stream.departed, identity, (version, document))
                yield record
            case ChangeType.MODIFIED | ChangeType.GAP:
                if record.type is ChangeType.GAP and identity in stream.departed:
                    version, compact = stream.departed.pop(identity)
                    known = _Object(version, expanded(compact))
                    stream.objects[identity] = known
                if known is None or known.resource_version != record.previous:
                    if stream.complete and record.type is ChangeType.MODIFIED:
                        raise self._bad("the version before it was never there")
                    return  # the version before is lost: wait for the next snapshot
                try:
                    document, patch = applied(known.document, line.get("patch", ()))
                except PatchConflict as error:
                    raise self._bad(f"its patch does not apply: {error}") from None
                self._check(document)
                known.document = document
                known.resource_version = record.resource_version
                yield record.patched(document, patch)

    def _record(
        self, line: dict[str, Any], stream: _Stream, time: float
    ) -> ChangeRecord:
        get = line.get
        try:
            times = map(get, ("since", "until", "written"))
            return record_of(
                (
                    line["seq"],
                    time,
                    _TYPES[line["type"]],
                    stream.selection,
                    _type(str(get("apiVersion", "")), str(line["kind"])),
                    _text(get("namespace")),
                    str(get("name", "")),
                    str(get("uid", "")),
                    str(get("resourceVersion", "")),
                    get("initial") is True,
                    get("inferred") is True,
                    get("listed") is True,
                    _text(get("previous")),
                    tuple(map(str, get("managers", ()))),
                    get("object"),
                    (),
                    None,
                    *(None if each is None else seconds(each) for each in times),
                    _edited(get("edited")),
                    None,
                )
            )
        except RecursionError:
            raise self._bad("it is no change record (nested too deeply)") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._bad(f"it is no change record ({error})") from None

    def _snapshot(self, line: dict[str, Any], time: float) -> Iterator[ChangeRecord]:
        stream = self._stream(line)
        record = self._record({**line, "type": "ADDED"}, stream, time)
        identity = record.identity
        self._check(record.document)
        known = stream.objects.get(identity)
        stream.objects[identity] = _Object(record.resource_version, record.document)
        if known is None:
            # A segment that is read by itself begins like this.
            yield record._replace(initial=True)
            return
        if known.resource_version == record.resource_version:
            if canonical(known.document) != canonical(record.document):
                raise self._bad("its object is not what the patches before it give")
            return
        yield record._replace(
            type=ChangeType.GAP,
            listed=True,
            previous=known.resource_version,
            patch=tuple(operations_between(known.document, record.document)),
        )

    def _log(self, line: dict[str, Any], time: float) -> Logged:
        lines = line.get("lines")
        if not isinstance(lines, list) or not all(type(each) is str for each in lines):
            raise self._bad("it is no log")
        run = ContainerRun._make(text(line, each) for each in LOG_MEMBERS)
        return Logged(run, tuple(lines), line.get("cut") is True, time)

    def _check(self, document: JSON) -> None:
        if not isinstance(document, dict):
            raise self._bad("its object is none")

    def _bad(self, reason: str) -> BadLine:
        self._lost = True
        return BadLine(reason)


@lru_cache(256)
def _type(api_version: str, kind: str) -> GroupVersionKind:
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)


def _text(value: JSON) -> str | None:
    return None if value is None else str(value)


def _edited(value: JSON) -> Edited | None:
    if not isinstance(value, dict):
        return None
    return Edited(seconds(value["time"]), str(value["manager"]))
