"""Files for their owner alone, there as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kubectl_spy.core.remedy import advice
from kubectl_spy.errors import SpyError, UsageError


def open_private(path: Path, flags: int) -> int:
    """Open a file, mode 0600 if it is new, and never through a symbolic link."""
    flags |= os.O_RDWR | os.O_APPEND
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, 0o600)


def sync_data(descriptor: int) -> None:
    """Return once everything written to *descriptor* is on the disk."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


def create_beside(path: Path) -> tuple[int, Path]:
    """Return the descriptor and the path of a new file in the directory of *path*."""
    # A short name: that of *path* may be as long as names can be.
    beside = path.with_name(f".spy-{os.urandom(6).hex()}")
    return open_private(beside, os.O_CREAT | os.O_EXCL), beside


@contextmanager
def replacing(
    path: Path, *, unfinished: Path | None = None, sync: bool = True
) -> Iterator[BinaryIO]:
    """Give a new file that takes the place of *path* if the block succeeds.

    Until then it is at *unfinished*, or beside *path*. With *sync* it is on the disk
    before it takes its place. Raises OSError.
    """
    if unfinished is None:
        descriptor, unfinished = create_beside(path)
    else:
        unfinished.unlink(missing_ok=True)
        descriptor = open_private(unfinished, os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if sync:
                sync_data(descriptor)
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def check_private(path: Path) -> None:
    """Raise UsageError if `write_private` is certain to fail."""
    _check_place(path)
    try:
        descriptor, beside = create_beside(path)
        os.close(descriptor)
        beside.unlink()
    except OSError as error:
        raise UsageError(
            f"cannot write a file in {path.parent}: {error.strerror or error}",
            "choose another directory",
        ) from None


def read_private(path: Path, size: int) -> bytes:
    """Return the *size* bytes of the file at *path*.

    Raises UsageError if it has another size, or others may read it. A Secret that is
    mounted in a Pod is kept from others by the kubelet, whatever its mode:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/volume/util/atomic_writer.go
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(size + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    mounted = (path.parent / "..data").is_symlink()
    if os.name == "posix" and mode & 0o077 and not mounted:
        remedy = advice("keep it for yourself: chmod 600 {}", str(path))
        raise UsageError(f"others may read {path}", remedy)
    if len(content) != size:
        remedy = advice("head -c {} /dev/urandom > {}", str(size), str(path))
        raise UsageError(f"{path} does not have {size} bytes", remedy)
    return content


def write_private(path: Path, text: str) -> None:
    """Make *text* the content of the file at *path*, mode 0600, whole or not at all.

    It replaces a file only. Whoever can put a symbolic link there must not choose what
    is overwritten. Raises UsageError if the place is not a file, or the directory does
    not exist; SpyError if the system refuses.
    """
    _check_place(path)
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise SpyError(f"cannot write {path}: {error.strerror or error}") from None


def write_elsewhere(text: str, *, suffix: str) -> Path | None:
    """Return a new temporary file with *text*, mode 0600; None if that fails.

    For what must not be lost when `write_private` fails.
    """
    import tempfile  # this import is slow

    name = f"kubectl-spy-{os.urandom(6).hex()}{suffix}"
    try:
        path = Path(tempfile.gettempdir(), name)
        with replacing(path) as file:
            file.write(text.encode())
    except OSError:
        return None
    return path


def _check_place(path: Path) -> None:
    """Raise UsageError unless *path* is free, or a file that can be replaced."""
    try:
        there = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        if not path.parent.is_dir():
            raise UsageError(
                f"{path.parent} is no directory", "create it, or choose another"
            ) from None
        return
    except OSError as error:
        raise UsageError(
            f"{path} cannot be a file: {error.strerror or error}", "choose another name"
        ) from None
    if stat.S_ISDIR(there.st_mode):
        raise UsageError(f"{path} is a directory", "name a file in it")
    if stat.S_ISLNK(there.st_mode) and path.parent != Path("/dev"):
        raise UsageError(f"{path} is a symbolic link", "name the file that it leads to")
    if not stat.S_ISREG(there.st_mode):
        raise UsageError(f"{path} is no file", "choose another name")
    above = path.parent.stat()
    # https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html, EPERM
    may_replace = (0, there.st_uid, above.st_uid)
    sticky = above.st_mode & stat.S_ISVTX and hasattr(os, "geteuid")
    if sticky and os.geteuid() not in may_replace:
        raise UsageError(
            f"{path} is another user's, and {path.parent} lets nobody else replace it",
            "choose another name",
        )
