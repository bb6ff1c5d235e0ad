"""A recording on disk: one write a line, and no half line left behind.

A full disk, a limit of file sizes or a kill ends a write in the middle: measured in
docs/recording-format.md.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.recording_format import FORMAT, LONGEST, VERSION
from kubectl_spy.core.objects import JSON, WatchEvent
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.private_files import open_private, sync_data

_BLOCK = 1 << 20
_BEGINNING = b'{"seq":'  # the beginning of every line


class RecordingFile:
    """A file that grows by whole lines, and that no other process records to.

    Its methods raise SpyError for errors of the system.
    """

    def __init__(self, path: Path, descriptor: int, size: int) -> None:
        self.path = path
        self.name = str(path)
        self.size = size
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._written = self._closed = False
        self._lost: SpyError | None = None
        """The error of a failed sync or close, which the system reports once."""

    @classmethod
    def create(cls, path: Path) -> RecordingFile:
        """Return a new file, mode 0600. Raises UsageError if the path is taken."""
        descriptor = open_locked("create", path, os.O_CREAT | os.O_EXCL)
        _sync_directory(path)
        return cls(path, descriptor, 0)

    @classmethod
    def reopen(
        cls, path: Path
    ) -> tuple[RecordingFile, dict[str, JSON], dict[str, JSON]]:
        """Return a file to continue, its header, and its last line.

        A torn end is moved into a file beside it. Both lines are {} if the first one is
        torn: its recorder was killed at once. Raises UsageError if it cannot be
        continued.
        """
        descriptor = open_locked("open", path)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{path} is no file", "record to a new file")
            header = header_of(path)
            last, end = last_line_of(path) if header else ({}, 0)
            if end < os.fstat(descriptor).st_size:
                _put_aside(path, end)
                os.ftruncate(descriptor, end)
        except OSError as error:
            os.close(descriptor)
            raise failed("continue", path, error) from None
        except SpyError:
            os.close(descriptor)
            raise
        return cls(path, descriptor, end), header, last

    def write(self, line: bytes) -> None:
        """Append *line* in one write, all of it or nothing."""
        with self._lock:
            if self._closed:  # another file may have its descriptor
                raise SpyError(f"{self.path} is closed")
            if self._lost:
                raise self._lost
            try:
                written = os.write(self._descriptor, line)
                if written < len(line):
                    # The rest may fit, or this write says why not.
                    written += os.write(self._descriptor, line[written:])
                if written < len(line):
                    raise OSError(
                        errno.ENOSPC, "no space left, or the limit of a file's size"
                    )
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, self.size)
                raise failed("write to", self.path, error) from None
            self.size += len(line)
            self._written = True

    def reached(self, event: WatchEvent) -> None:
        """Note that all versions up to that of *event* were written."""

    def sync(self) -> None:
        with self._lock:
            self._sync()

    def close(self) -> None:
        """Sync, close and unlock the file. It is closed in any case."""
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
        """Keep the error: the sync thread mostly gets it, and the writer must know."""
        try:
            act(self._descriptor)
        except OSError as error:
            self._lost = self._lost or failed("write to", self.path, error)
            raise self._lost from None

    def astray(self) -> str:
        """Return what happened to the file if it cannot go on at its path; else ""."""
        with self._lock:
            if self._closed:
                return ""
            try:
                held = os.fstat(self._descriptor)
            except OSError:
                return ""  # the next write reports it
            try:
                there = self.path.lstat()
            except (FileNotFoundError, NotADirectoryError):
                return "was moved" if held.st_nlink else "was deleted"
            except OSError:
                return ""
            if not os.path.samestat(held, there):
                return "was replaced"
            return "" if held.st_size == self.size else "was changed by another program"

    def rotate(self, number: int) -> tuple[RecordingFile, Path]:
        """Rename the file to segment *number*; return a new file, and the segment."""
        closed = self.path.with_name(f"{self.path.name}.{number:04}")
        if closed.exists() or closed.with_name(f"{closed.name}.gz").exists():
            raise SpyError(f"{closed} is in the way of the next segment", "move it")
        self.sync()
        try:
            self.path.rename(closed)
        except OSError as error:
            raise failed("rename", self.path, error) from None
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
            raise failed("go on beside", self.path, error) from None
        number = 2
        while True:
            name = f"{self.path.stem}-{number}{self.path.suffix}"
            number += 1
            if not any(each == name or each.startswith(f"{name}.") for each in taken):
                with suppress(UsageError):  # taken just now
                    return RecordingFile.create(self.path.with_name(name))


def check_unlocked(segment: Path) -> None:
    """Check that no other process is rotating *segment*. Raises SpyError if one is."""
    os.close(open_locked("open", segment))


def open_locked(verb: str, path: Path, flags: int = 0, of: Path | None = None) -> int:
    """Return the descriptor of the file at *path*, with the lock for the file *of*.

    Raises SpyError if the system refuses to *verb* it, or another process has the lock.
    """
    try:
        descriptor = open_private(path, flags)
    except OSError as error:
        raise failed(verb, path, error) from None
    try:
        _lock(descriptor, of or path)
    except SpyError:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, path: Path) -> None:
    """Lock a file for *path*. Raises SpyError if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # on Windows no other process can open a file being written
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SpyError(
            f"{path} is being recorded to by another process", "choose another name"
        ) from None


def header_of(path: Path) -> dict[str, JSON]:
    """Return the first line of the file at *path*; {} if that is torn."""
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


def last_line_of(path: Path) -> tuple[dict[str, JSON], int]:
    """Return the last whole line of the file at *path*, and where it ends."""
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
                    break  # the line begins in an earlier block
                try:
                    line = decode(kept[begin : newline + 1])
                except BadLine:
                    stop = newline
                    continue
                return line, start + newline + 1
            end = start
    raise UsageError(
        f"{path} holds no whole line of a recording", "record to a new file"
    )


def _put_aside(path: Path, end: int) -> None:
    """Append what follows *end* to a file beside, so that nothing is lost."""
    beside = path.with_name(f"{path.name}.torn")
    descriptor = open_private(beside, os.O_CREAT)
    with path.open("rb") as file, os.fdopen(descriptor, "ab") as torn:
        file.seek(end)
        while block := file.read(_BLOCK):
            torn.write(block)
        torn.flush()
        sync_data(torn.fileno())


def _sync_directory(path: Path) -> None:
    if os.name == "nt":
        return
    with suppress(OSError):  # it may be one that we may enter and not read
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def failed(verb: str, path: Path, error: OSError) -> SpyError:
    """Return the error that the system refused to *verb* the file at *path*."""
    if error.errno == errno.EEXIST:
        return UsageError(
            f"{path} exists", "choose another name, or continue it with --append"
        )
    if error.errno == errno.ELOOP:
        return UsageError(
            f"{path} is a symbolic link", "name the file that it leads to"
        )
    return SpyError(f"cannot {verb} {path}: {error.strerror or error}")
