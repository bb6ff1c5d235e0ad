"""Finds the line of an index that a point means."""

from __future__ import annotations

import re

from kubectl_spy.core.changes.line_reading import HEAD
from kubectl_spy.core.changes.points import (
    AtVersion,
    Beginning,
    First,
    Moment,
    Point,
    Seq,
)
from kubectl_spy.sources.recording.index import DAMAGED, Index
from kubectl_spy.sources.recording.states import NotRecorded

_SEQ = re.compile(rb'\{"seq":([0-9]{1,18}),')
_WHOLE = ("ADDED", "RELISTED")
_INITIAL = b'"initial":true'


def find_line(index: Index, point: Point) -> int:
    """Return the last line of *index*, which is complete, up to *point*.

    The beginning is after the first lists. A version is the first with this
    resourceVersion, of any object. Raises NotRecorded if there is none.
    """
    if isinstance(point, First | Beginning):
        return _beginning(index)
    if isinstance(point, Moment):
        line = index.line_at(point.time)
        return _beginning(index) if line < 0 else line
    if isinstance(point, Seq):
        return _of_seq(index, point.seq)
    if isinstance(point, AtVersion):
        return _of_version(index, point.resource_version.encode())
    return len(index) - 1


def _beginning(index: Index) -> int:
    listed = False  # whether the first of the lists is complete
    for line in range(len(index)):
        kind = index.type(line)
        listed = listed or kind == "LISTED"
        # The first segment of a ring begins with a SNAPSHOT of each object.
        if not index.is_version(line) or (kind in _WHOLE and not listed):
            continue
        if kind != "ADDED" or _INITIAL not in index.raw(line):
            return line - 1
    return len(index) - 1


def _of_seq(index: Index, seq: int) -> int:
    found = 0
    for line in range(len(index)):
        if index.type(line) == DAMAGED:
            continue
        numbered = _SEQ.match(index.raw(line))
        if numbered and int(numbered[1]) > seq:
            break
        found = line
    return found


def _of_version(index: Index, version: bytes) -> int:
    for line in range(len(index)):
        if index.is_version(line):
            head = HEAD.match(index.raw(line))
            if head is not None and head[9] == version:
                return line
    raise NotRecorded(
        f"no object had the resourceVersion {version.decode()} in the recording"
    )
