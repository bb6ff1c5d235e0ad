"""A file written at once, for its owner only."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from kubectl_spy.errors import SpyError, UsageError


def write_private(path: Path, text: str) -> None:
    """Make *text* all that is in the file at *path*, mode 0600.

    It is there whole or, whatever happens meanwhile, not at all: a file beside it takes
    its name once it is on the disk. What was there before is replaced, but only a file:
    whoever can leave a symbolic link there must not choose what is written over.

    Raises:
        UsageError: there is something there that is no file, or no such directory.
        SpyError: the system says no.
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        mode = stat.S_IFREG  # what else is wrong, opening tells
    if stat.S_ISLNK(mode):
        raise UsageError(f"{path} is a symbolic link", "name the file that it leads to")
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path} is no file", "choose another name")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(unfinished, flags, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(
            f"{path.parent} is no directory", "create it, or choose another"
        ) from None
    except OSError as error:
        raise _failed(path, error) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise _failed(path, error) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _failed(path: Path, error: OSError) -> SpyError:
    return SpyError(f"cannot write {path}: {error.strerror or error}")
