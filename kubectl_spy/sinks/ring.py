"""The closed segments of a recording: how old they are, and what they hold."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.sinks.packing import Packer


class Closed(NamedTuple):
    """A closed segment."""

    path: Path | None  # None if somebody moved or changed it
    closed: float  # when it was closed, by the monotonic clock
    until: float  # the same, in seconds since the epoch
    size: int
    changes: int


class Ring:
    """The closed segments. Each is deleted *keep* seconds after its end; None is never.

    So the recording always holds at least *keep* seconds, once it is that old.
    """

    def __init__(self, keep: float | None, packer: Packer) -> None:
        self.keep = keep
        self.size = self.changes = 0  # of all closed segments
        self._packer = packer
        self._segments: deque[Closed] = deque()

    def adopt(self, segment: Path) -> None:
        """Take in *segment*, which an earlier run closed, and gzip it if it did not.

        It was closed when it was written to last.
        """
        held = segment.stat()  # before the packer gzips it
        if segment.suffix == ".gz":
            self._packer.adopt(segment)
            path = segment.with_suffix("")
        else:
            self._packer.add([segment])
            path = segment
        age = max(0.0, time.time() - held.st_mtime)
        self.add(path, held.st_mtime, held.st_size, self.changes, age)

    def add(
        self,
        path: Path | None,
        until: float,
        size: int,
        changes: int,
        age: float = 0.0,
    ) -> None:
        """Take in a segment, closed *age* seconds ago.

        *changes* counts those of the older ones, too.
        """
        if self.keep is not None:
            closed = time.monotonic() - age
            held = Closed(path, closed, until, size, changes - self.changes)
            self._segments.append(held)
        self.size += size
        self.changes = changes

    def drop(self, now: float) -> Closed | None:
        """Delete the oldest segment if it is old enough *now*, and return it.

        It must be old by both clocks. What is recorded *now* may have happened before,
        and the wall clock may be set forward.
        """
        if self.keep is None or not self._segments:
            return None
        oldest = self._segments[0]
        age = min(time.monotonic() - oldest.closed, now - oldest.until)
        if age <= self.keep:
            return None
        self._segments.popleft()
        self.size -= oldest.size
        self.changes -= oldest.changes
        if oldest.path is not None:
            self._packer.delete(oldest.path)
        return oldest
