"""Finds an object at a point of a recording, without parsing every line.

The beginning of a line says which object it is about, and after a SNAPSHOT the lines
before it are not needed. The few lines that are left are read as usual, so the result
is the same as from reading every line, damage included.

The file is read once from its beginning, with few lines in memory: 100,000 lines take a
third of a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from kubectl_spy.core.changes.line_reading import HEAD, decode, selection_of, stream_of
from kubectl_spy.core.changes.lines import CHANGES, HEADERS, BadLine, begins_run
from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    First,
    Moment,
    Point,
    Seq,
)
from kubectl_spy.core.changes.recording_format import is_sealed
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import Resource
from kubectl_spy.core.times import rfc3339
from kubectl_spy.sources.recording.doubt import Certainty, Doubt
from kubectl_spy.sources.recording.object_at import Gone, RecordedObject, object_at
from kubectl_spy.sources.recording.raw_lines import RawLine
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.wanted import Wanted

_SEQ_LENGTH = 28
_BEFORE_TYPE = len(',"time":"2026-11-20T16:00:00.000000Z",')

# A message about the connection may be written late.
_IN_ORDER = {*CHANGES, "SNAPSHOT", "LISTED", "REFUSED", "RESUME"}

# These stand for the number of a stream.
_UNKNOWN, _UNREAD, _DAMAGE, _DECLARATION, _HEADER, _LOSS = -1, -2, -3, -4, -5, -6
_LASTING = (_DECLARATION, _HEADER, _LOSS)
"""Lines that are not about the object, but matter for all lines after them."""


def seek(recording: Recording, wanted: Wanted, point: Point) -> RecordedObject:
    """Return the same as `object_at`, without parsing every line.

    Damage is noticed after the last snapshot of the object. Earlier damage is harmless.
    Raises SpyError if the object did not exist, or several objects are wanted.
    """
    relevant = _Relevant(wanted, point)
    recording.narrow(relevant.among)
    try:
        found = object_at(recording, wanted, point)
    except Gone as gone:
        if relevant.doubt is None:
            raise
        unknown = f"what happened {relevant.doubt} is not known"
        raise Gone(f"{gone.message}, and {unknown}", gone.remedy) from None
    if relevant.vanished:
        raise Gone(
            f"{found.record.label} was deleted at a time {relevant.vanished}",
            "choose a point before that",
        )
    return found._replace(doubt=relevant.doubt)


class _Head(NamedTuple):
    """The beginning of a line about an object."""

    seq: int
    time: str
    type: str
    api_version: str
    kind: str
    namespace: str | None
    name: str
    uid: str
    resource_version: str

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        """What names the object, without its uid."""
        group = self.api_version.rpartition("/")[0]
        return group, self.kind, self.namespace, self.name


class _Kept(NamedTuple):
    """A line that may be needed."""

    place: RawLine
    number: int  # the number of the line, in all segments
    session: int
    stream: int  # the stream of its object; negative: it is not about the object
    gone: bool

    @property
    def of_object(self) -> bool:
        """Whether it is about the object."""
        return self.stream >= 0 or self.stream in (_UNKNOWN, _UNREAD)

    def of_stream(self) -> int:
        """Return the stream, which is parsed only now."""
        return stream_of(self.place.raw) if self.stream == _UNREAD else self.stream


class _Relevant:
    """Chooses the lines that matter, in their order."""

    def __init__(self, wanted: Wanted, point: Point) -> None:
        self._wanted = wanted
        self._first = isinstance(point, First | Beginning)
        self._version = point.resource_version if isinstance(point, AtVersion) else None
        self._last = point.seq if isinstance(point, Seq) else math.inf
        self._end = rfc3339(point.time) if isinstance(point, Moment) else "~"
        self._resources: dict[tuple[str, str], Resource] = {}
        self._identity: tuple[str, str, str | None, str] | None = None
        self._uid: bytes | None = None
        self._usual: bytes | tuple[()] = ()
        """The text after the time in most lines about the object."""
        self._kept: list[_Kept] = []
        self._number = self._yielded = 0
        self._session = 0
        self._declared: set[bytes] = set()
        self._certainty = Certainty(wanted, self._end)
        self.vanished: Doubt | None = None
        self.doubt: Doubt | None = None

    def among(self, lines: Iterable[RawLine]) -> Iterator[RawLine]:
        """Yield those of *lines* that matter."""
        names, last, end = self._wanted.names, self._last, self._end.encode()
        lines = self._certainty.following(lines)
        for place in lines:
            self._number += 1 + place.skipped
            raw = place.raw
            comma = raw.find(b",", 0, _SEQ_LENGTH)
            if (
                raw.startswith(self._usual, comma + _BEFORE_TYPE)
                and raw[comma + 9 : comma + 36] <= end
                and raw[7:comma].isdigit()
                and int(raw[7:comma]) <= last
            ):
                # In a recording of one object most lines end here.
                self._kept.append(
                    _Kept(place, self._number, self._session, _UNREAD, False)
                )
                self._certainty.seen = self._number
                continue
            found = HEAD.match(raw)
            if found is None:
                line = self._decoded(place)
                if line and self._is_over(line["seq"], line["time"], line["type"]):
                    self._look(chain((place,), lines))
                    break
                head = None if line is None else self._parsed(place, line)
            elif int(found[1]) > last or found[2] > end:
                if is_sealed(place.raw):
                    self._look(chain((place,), lines))
                    break
                head = _head(found)
            elif found[7] in names or found[8] == self._uid or not names:
                head = _head(found)
            else:
                if not is_sealed(raw):  # its name may be what is damaged
                    self._keep(place, _DAMAGE)
                continue
            if head is not None:
                yield from self._about(place, head)
        else:
            self._look(())
        self.vanished = self._certainty.vanished
        yield from self._flushed()

    def _look(self, after: Iterable[RawLine]) -> None:
        if self._end != "~":
            version = next(filter(None, map(_version_of, reversed(self._kept))), "")
            self.doubt = self._certainty.doubt(after, version)

    def _is_over(self, seq: int, time: str, kind: str) -> bool:
        if kind not in _IN_ORDER:
            return False
        return seq > self._last or time > self._end

    def _about(self, place: RawLine, head: _Head) -> Iterator[RawLine]:
        """Keep a line about the wanted object. Yield the lines that are certain."""
        whole = head.type in ("ADDED", "SNAPSHOT")
        gone = head.type in ("DELETED", "LEFT")
        if head.identity != self._identity:
            if not is_sealed(place.raw):
                self._keep(place, _DAMAGE)
                return
            if not self._is_wanted(head) and _utf8(head.uid) != self._uid:
                return
            if not (whole or gone):
                return  # the object before this line is not known
            if self._identity is not None:
                self._keep(place, _DAMAGE)
                yield from self._flushed()  # object_at reports that there are several
                return
            self._identity = head.identity
        stream = stream_of(place.raw)
        if whole and is_sealed(place.raw):
            if head.type == "ADDED" or self._is_latest(stream):
                self._drop(stream)
            self._uid = _utf8(head.uid) or None
            if self._version is None:
                self._usual = _modified(place.raw)
        self._keep(place, stream, gone=gone)
        self._certainty.seen = self._number
        if head.resource_version == self._version or (self._first and whole):
            yield from self._flushed()

    def _is_wanted(self, head: _Head) -> bool:
        resource = self._resources.get((head.api_version, head.kind))
        return resource is not None and self._wanted.holds(
            resource, head.namespace, head.name
        )

    def _is_latest(self, stream: int) -> bool:
        """Return whether *stream* brought the last version of the object."""
        for each in reversed(self._kept):
            if each.of_object:
                same = each.of_stream() == stream and not each.gone
                return same or each.session != self._session
        return True

    def _drop(self, stream: int) -> None:
        """Drop the lines that a whole object in *stream* makes useless."""
        self._kept = [
            each
            for each in self._kept
            if each.stream in _LASTING
            or (
                each.session == self._session
                and each.stream != _DAMAGE
                and each.of_stream() != stream
            )
        ]

    def _keep(self, place: RawLine, stream: int, *, gone: bool = False) -> None:
        self._kept.append(_Kept(place, self._number, self._session, stream, gone))

    def _flushed(self) -> Iterator[RawLine]:
        kept, self._kept = self._kept, []
        for each in kept:
            yield each.place._replace(skipped=each.number - self._yielded - 1)
            self._yielded = each.number

    def _decoded(self, place: RawLine) -> dict[str, Any] | None:
        try:
            return decode(place.raw)
        except BadLine:
            # It may have been a RESUME. Keeping the last such line is enough.
            self._kept = [each for each in self._kept if each.stream != _LOSS]
            self._keep(place, _LOSS)
            return None

    def _parsed(self, place: RawLine, line: dict[str, Any]) -> _Head | None:
        """Return the head of *line*, or keep it if it matters for all later lines."""
        if line.get("name") and line["type"] not in ("STREAM", *HEADERS):
            return _Head(
                line["seq"],
                line["time"],
                line["type"],
                str(line.get("apiVersion", "")),
                str(line.get("kind", "")),
                line.get("namespace"),
                str(line["name"]),
                str(line.get("uid", "")),
                str(line.get("resourceVersion", "")),
            )
        self._certainty.observe(self._number, line)
        if begins_run(line["type"], line["seq"]):
            self._session += 1
            self._resources = {}
            self._keep(place, _DECLARATION)
        elif line["type"] == "HEADER":
            self._kept = [each for each in self._kept if each.stream != _HEADER]
            self._keep(place, _HEADER)
        elif line["type"] == "STREAM":
            says = dumps({**line, "seq": self._session, "time": ""})
            if says not in self._declared:
                self._declared.add(says)
                self._keep(place, _DECLARATION)
            with suppress(BadLine):
                resource = selection_of(line).resource
                gvk = resource.gvk
                self._resources[gvk.api_version, gvk.kind] = resource
        return None


def _version_of(kept: _Kept) -> str:
    """Return the resourceVersion of the object in a line about it, or ""."""
    found = HEAD.match(kept.place.raw) if kept.of_object else None
    return found[9].decode(errors="replace") if found else ""


def _utf8(text: str) -> bytes:
    """Return *text* in UTF-8, with lone surrogates, which JSON may hold."""
    return text.encode("utf-8", "surrogatepass")


def _head(found: re.Match[bytes]) -> _Head:
    # The checksum is not known yet: a damaged line may hold any bytes.
    texts: list[Any] = [
        None if text is None else text.decode(errors="replace")
        for text in found.groups()[1:]
    ]
    return _Head(int(found[1]), *texts)


def _modified(raw: bytes) -> bytes | tuple[()]:
    """Return the text after the time in a MODIFIED of the object of *raw*."""
    found = HEAD.match(raw)
    if found is None:
        return ()
    rest = raw[found.end(3) : found.start(9)]
    return b'"type":"MODIFIED' + rest
