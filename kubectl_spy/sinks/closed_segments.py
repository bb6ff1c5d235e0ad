"""Gzip and delete the closed segments of a recording in the background."""

from __future__ import annotations

import errno
import os
import queue
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.errors import UsageError
from kubectl_spy.private_files import replacing

_BLOCK = 1 << 20
_UNFINISHED = ".gz.unfinished"


class _Stopped(Exception):
    """The recording ends before a segment is gzipped."""


class Packer:
    """Gzips and deletes segments in order, in one thread.

    A segment stays as it is where gzipping fails, or the recording ends before.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._old: deque[Path] = deque()  # segments to delete
        self._own: set[tuple[int, int]] = set()  # device and inode of our files
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, segment: Path) -> None:
        """Gzip *segment* after those added before."""
        self._do(partial(self._pack, segment))

    def adopt(self, segment: Path) -> None:
        """Take *segment*, which an earlier run recorded and gzipped, as our own."""
        self._own.add(_identity(segment.lstat()))

    def delete(self, segment: Path) -> None:
        """Delete *segment* after those before it, but no file of anybody else."""
        self._do(partial(self._delete, segment))

    def stop(self) -> None:
        """Stop, and return once no unfinished file is left."""
        self._stopped.set()
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()

    def _do(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gzip", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while job := self._jobs.get():
            with suppress(OSError, _Stopped):
                job()

    def _delete(self, segment: Path) -> None:
        # In order, so that no segment is missing between others. One that cannot be
        # deleted, as Windows refuses while it is read, is tried again with the next.
        self._old.append(segment)
        while self._old:
            for each in (self._old[0], packed_name(self._old[0])):
                with suppress(FileNotFoundError):
                    if _identity(each.lstat()) in self._own:
                        each.unlink()
            self._old.popleft()

    def _pack(self, path: Path) -> None:
        self._own.add(_identity(path.lstat()))
        if self._stopped.is_set():
            return
        unfinished = path.with_name(path.name + _UNFINISHED)
        import gzip  # the first line of `status` comes without it

        with (
            replacing(packed_name(path), unfinished=unfinished) as raw,
            path.open("rb") as plain,
            gzip.open(raw, "wb", 6) as packed,
        ):
            while block := plain.read(_BLOCK):
                if self._stopped.is_set():
                    raise _Stopped
                packed.write(block)
            self._own.add(_identity(os.fstat(raw.fileno())))
        path.unlink()


def packed_name(segment: Path) -> Path:
    """Return the path of *segment* when it is gzipped."""
    return segment.with_name(f"{segment.name}.gz")


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def check_name(path: Path) -> None:
    """Raise UsageError if the name of a segment of *path* would be too long."""
    longest = path.with_name(f"{path.name}.00001{_UNFINISHED}")
    try:
        longest.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            added = len(longest.name) - len(path.name)
            raise UsageError(
                f"{path.name} is too long a name for a recording in segments",
                f"choose a shorter name: segments add {added} characters to it",
            ) from None


def remove_unfinished(path: Path) -> None:
    """Remove the unfinished gzip files of a recorder to *path* that was killed."""
    pattern = re.compile(re.escape(path.name) + r"\.[0-9]{4,}" + re.escape(_UNFINISHED))
    with suppress(OSError):
        for each in path.parent.iterdir():
            if pattern.fullmatch(each.name):
                each.unlink()


# The closed segments of a recording: how old they are, and what they hold.


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
            self._packer.add(segment)
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


# When a recording goes on in a new file.


class Rotation(NamedTuple):
    """The bytes or the seconds after which a segment is closed; None is never.

    A closed segment is deleted after *keep* seconds.
    """

    size: int | None = None
    age: float | None = None
    keep: float | None = None
