"""A recording on disk: one write a line, and nothing half written left behind.

What is measured stands in docs/recording-format.md: a full disk or a file-size limit
ends a write in the middle, and so does a kill.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.core.changes.recording_format import (
    FORMAT,
    LONGEST,
    VERSION,
    BadLine,
    decode,
)
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError, UsageError

_BLOCK = 1 << 20
_BEGINNING = b'{"seq":'
"""What every line begins with."""


class _Tail(NamedTuple):
    """The last whole line of a file, and where it ends."""

    line: dict[str, JSON]
    end: int


class RecordingFile:
    """A file that only grows, by whole lines, and that nobody else writes to.

    Raises, on opening and writing, SpyError: what the system says, and what to do.
    """

    def __init__(self, path: Path, descriptor: int, size: int) -> None:
        self.path = path
        self.size = size
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._written = self._closed = False
        self._lost: SpyError | None = None
        """What the system said where it did not keep all that was written."""

    @classmethod
    def create(cls, path: Path) -> RecordingFile:
        """Return a new file, readable by nobody else.

        Raises:
            UsageError: there is one already.
        """
        try:
            descriptor = open_private(path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            raise UsageError(
                f"{path} exists", "choose another name, or continue it with --append"
            ) from None
        except OSError as error:
            raise _failed("create", path, error) from None
        try:
            _lock(descriptor, path)
        except SpyError:
            os.close(descriptor)
            raise
        _sync_directory(path)
        return cls(path, descriptor, 0)

    @classmethod
    def reopen(
        cls, path: Path
    ) -> tuple[RecordingFile, dict[str, JSON], dict[str, JSON]]:
        """Return a file to continue, its header, and its last line.

        What is torn at its end is put aside, into a file beside it. Both lines are {}
        where nothing else was in it: its writer was killed as it began.

        Raises:
            UsageError: it cannot be continued.
        """
        try:
            descriptor = open_private(path, 0)
        except OSError as error:
            raise _failed("open", path, error) from None
        try:
            _lock(descriptor, path)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{path} is no file", "record to a new file")
            header = _header(path)
            tail = _tail(path) if header else _Tail({}, 0)
            size = os.fstat(descriptor).st_size
            if tail.end < size:
                _put_aside(path, tail.end)
                os.ftruncate(descriptor, tail.end)
        except OSError as error:
            os.close(descriptor)
            raise _failed("continue", path, error) from None
        except SpyError:
            os.close(descriptor)
            raise
        return cls(path, descriptor, tail.end), header, tail.line

    def write(self, line: bytes) -> None:
        """Append *line*, in one write; all of it or nothing."""
        with self._lock:
            if self._closed:  # its descriptor may be somebody else's by now
                raise SpyError(f"{self.path} is closed")
            if self._lost:
                raise self._lost
            try:
                written = os.write(self._descriptor, line)
                if written < len(line):
                    # The rest may fit, or the next write says why not.
                    written += os.write(self._descriptor, line[written:])
                if written < len(line):
                    raise OSError(
                        errno.ENOSPC, "no space left, or the limit of a file's size"
                    )
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, self.size)
                raise _failed("write to", self.path, error) from None
            self.size += len(line)
            self._written = True

    def sync(self) -> None:
        """Return once everything written is on the disk."""
        with self._lock:
            self._sync()

    def close(self) -> None:
        """Sync and close, and let others have it. It is closed in any case."""
        with self._lock:
            if self._closed:
                return
            try:
                self._sync()
            finally:
                self._closed = True
                self._attempt(os.close)

    def _sync(self) -> None:
        if self._written and not self._closed:
            self._written = False
            self._attempt(sync_data)
        if self._lost:
            raise self._lost

    def _attempt(self, act: Callable[[int], None]) -> None:
        """Keep what the system says: it does so once, and to the sync thread mostly."""
        try:
            act(self._descriptor)
        except OSError as error:
            self._lost = self._lost or _failed("write to", self.path, error)
            raise self._lost from None

    def astray(self) -> str:
        """Return what happened to the file if it is not at its path any more, or "".

        Also if another program wrote to it: it cannot be continued then.
        """
        with self._lock:
            if self._closed:
                return ""
            try:
                held = os.fstat(self._descriptor)
            except OSError:
                return ""  # the next write says it
            try:
                there = self.path.lstat()
            except (FileNotFoundError, NotADirectoryError):
                return "was moved" if held.st_nlink else "was deleted"
            except OSError:
                return ""  # nobody can tell
            if not os.path.samestat(held, there):
                return "was replaced"
            return "" if held.st_size == self.size else "was changed by another program"

    def rotate(self, number: int) -> tuple[RecordingFile, Path]:
        """Give the file its segment's *number*; return a new one, and the segment."""
        closed = self.path.with_name(f"{self.path.name}.{number:04}")
        if closed.exists() or closed.with_name(f"{closed.name}.gz").exists():
            raise SpyError(f"{closed} is in the way of the next segment", "move it")
        self.sync()
        try:
            self.path.rename(closed)
        except OSError as error:
            raise _failed("rename", self.path, error) from None
        try:
            following = RecordingFile.create(self.path)
        except SpyError:
            with suppress(OSError):
                closed.rename(self.path)
            raise
        self.close()
        return following, closed

    def beside(self) -> RecordingFile:
        """Return a new file with another name: web-2.spy beside web.spy."""
        try:
            taken = [each.name for each in self.path.parent.iterdir()]
        except OSError as error:
            raise _failed("go on beside", self.path, error) from None
        number = 2
        while True:
            name = f"{self.path.stem}-{number}{self.path.suffix}"
            number += 1
            if not any(each == name or each.startswith(f"{name}.") for each in taken):
                with suppress(UsageError):  # somebody took it just now
                    return RecordingFile.create(self.path.with_name(name))


def open_private(path: Path, flags: int) -> int:
    """Open a file for its owner alone, and never through a symbolic link."""
    flags |= os.O_RDWR | os.O_APPEND
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, 0o600)


def check_unlocked(segment: Path) -> None:
    """Check that *segment* is not being rotated by another process.

    Raises:
        SpyError: it is.
    """
    try:
        descriptor = open_private(segment, 0)
    except OSError as error:
        raise _failed("open", segment, error) from None
    try:
        _lock(descriptor, segment)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows lets nobody else open what is being written
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SpyError(
            f"{path} is being recorded to by another process", "choose another name"
        ) from None


def _header(path: Path) -> dict[str, JSON]:
    """Return the first line of the file at *path*; {} if it was never whole."""
    with path.open("rb") as file:
        raw = file.readline(LONGEST)
        if b"\n" not in raw and _BEGINNING.startswith(raw[: len(_BEGINNING)]):
            return {}
        try:
            header = decode(raw)
        except BadLine as error:
            raise UsageError(
                f"{path} does not begin as a recording does: {error}",
                "record to a new file",
            ) from None
    major = str(header.get("version", "")).partition(".")[0]
    if header.get("format") != FORMAT or major != str(VERSION[0]):
        raise UsageError(
            f"{path} has another format, and cannot be continued",
            "record to a new file",
        )
    return header


def _tail(path: Path) -> _Tail:
    """Return the last whole line of the file at *path*."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        kept = b""
        while end:
            start = max(0, end - _BLOCK)
            file.seek(start)
            kept = file.read(end - start) + kept
            stop = len(kept)
            while (newline := kept.rfind(b"\n", 0, stop)) >= 0:
                begin = kept.rfind(b"\n", 0, newline) + 1
                if not begin and start:
                    break  # the line begins further up
                try:
                    line = decode(kept[begin : newline + 1])
                except BadLine:
                    stop = newline
                    continue
                return _Tail(line, start + newline + 1)
            end = start
    raise UsageError(
        f"{path} holds no whole line of a recording", "record to a new file"
    )


def _put_aside(path: Path, end: int) -> None:
    """Keep what stands behind *end*, in a file beside, for whoever wants to see it."""
    beside = path.with_name(f"{path.name}.torn")
    descriptor = open_private(beside, os.O_CREAT)
    with path.open("rb") as file, os.fdopen(descriptor, "ab") as torn:
        file.seek(end)
        while block := file.read(_BLOCK):
            torn.write(block)
        torn.flush()
        sync_data(torn.fileno())


def sync_data(descriptor: int) -> None:
    """Return once what was written to *descriptor* is on the disk."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


def _sync_directory(path: Path) -> None:
    if os.name == "nt":
        return
    with suppress(OSError):  # a directory that may be entered, and not be read
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _failed(verb: str, path: Path, error: OSError) -> SpyError:
    if error.errno == errno.ELOOP:
        return UsageError(
            f"{path} is a symbolic link", "name the file that it leads to"
        )
    return SpyError(f"cannot {verb} {path}: {error.strerror or error}")
