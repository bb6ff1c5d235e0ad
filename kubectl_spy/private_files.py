"""Files for their owner alone, there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


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
