"""Gzip closed segments of a recording in the background."""

from __future__ import annotations

import errno
import gzip
import os
import queue
import re
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.recording_file import open_private, sync_data

_BLOCK = 1 << 20
_UNFINISHED = ".gz.unfinished"


class _Stopped(Exception):
    """The recording ends before a segment is gzipped."""


class Packer:
    """Replaces segments by their gzipped selves, one after another, in a thread.

    A segment stays as it is where that fails, and where the recording ends before.
    """

    def __init__(self) -> None:
        self._segments: queue.SimpleQueue[Path | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, segments: Iterable[Path]) -> None:
        """Gzip *segments* when those before them are done."""
        for each in segments:
            self._segments.put(each)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._pack_all, name="gzip", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """Leave off, and return once no half gzipped file is left."""
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
        try:
            descriptor = open_private(unfinished, os.O_CREAT | os.O_TRUNC)
            with os.fdopen(descriptor, "wb") as raw:
                with path.open("rb") as plain, gzip.open(raw, "wb", 6) as packed:
                    while block := plain.read(_BLOCK):
                        if self._stopped.is_set():
                            raise _Stopped
                        packed.write(block)
                raw.flush()
                sync_data(raw.fileno())
            unfinished.replace(path.with_name(f"{path.name}.gz"))
            path.unlink()
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def check_name(path: Path) -> None:
    """Check that the segments of the file at *path* can have their names.

    Raises:
        UsageError: its name is too long.
    """
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
    """Remove what a killed recorder to *path* had not finished to gzip."""
    pattern = re.compile(re.escape(path.name) + r"\.[0-9]{4,}" + re.escape(_UNFINISHED))
    with suppress(OSError):
        for each in path.parent.iterdir():
            if pattern.fullmatch(each.name):
                each.unlink()
