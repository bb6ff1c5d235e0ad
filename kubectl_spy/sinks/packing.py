"""Gzip the closed segments of a recording in the background."""

from __future__ import annotations

import errno
import gzip
import queue
import re
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kubectl_spy.errors import UsageError
from kubectl_spy.private_files import replacing

_BLOCK = 1 << 20
_UNFINISHED = ".gz.unfinished"


class _Stopped(Exception):
    """The recording ends before a segment is gzipped."""


class Packer:
    """Gzips segments in order, in one thread.

    A segment stays as it is where gzipping fails, or the recording ends before.
    """

    def __init__(self) -> None:
        self._segments: queue.SimpleQueue[Path | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, segments: Iterable[Path]) -> None:
        """Gzip *segments* after those added before."""
        for each in segments:
            self._segments.put(each)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._pack_all, name="gzip", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """Stop, and return once no unfinished file is left."""
        self._stopped.set()
        self._segments.put(None)
        if self._thread is not None:
            self._thread.join()

    def _pack_all(self) -> None:
        while (segment := self._segments.get()) and not self._stopped.is_set():
            with suppress(OSError, _Stopped):
                self._pack(segment)

    def _pack(self, path: Path) -> None:
        unfinished = path.with_name(path.name + _UNFINISHED)
        with (
            replacing(path.with_name(f"{path.name}.gz"), unfinished=unfinished) as raw,
            path.open("rb") as plain,
            gzip.open(raw, "wb", 6) as packed,
        ):
            while block := plain.read(_BLOCK):
                if self._stopped.is_set():
                    raise _Stopped
                packed.write(block)
        path.unlink()


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
