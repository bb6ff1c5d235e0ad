"""A file written at once, for its owner only."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from kubectl_spy.errors import SpyError, UsageError


def check_private(path: Path) -> None:
    """Try what `write_private` will do, hours before, as far as that can be tried.

    Raises:
        UsageError: it is certain to fail.
    """
    _look(path)
    try:
        descriptor, beside = _create(path)
        os.close(descriptor)
        beside.unlink()
    except OSError as error:
        raise UsageError(
            f"cannot write a file in {path.parent}: {error.strerror or error}",
            "choose another directory",
        ) from None


def write_private(path: Path, text: str) -> None:
    """Make *text* all that is in the file at *path*, mode 0600.

    It is there whole or, whatever happens meanwhile, not at all: a file beside it takes
    its name once it is on the disk. What was there before is replaced, but only a file:
    whoever can leave a symbolic link there must not choose what is written over.

    Raises:
        UsageError: there is something there that is no file, or no such directory.
        SpyError: the system says no.
    """
    _look(path)
    try:
        descriptor, unfinished = _create(path)
    except OSError as error:
        raise _failed(path, error) from None
    try:
        _fill(descriptor, text)
        unfinished.replace(path)
    except OSError as error:
        raise _failed(path, error) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def write_elsewhere(text: str, *, suffix: str) -> Path | None:
    """Return a new file with *text* among the temporary ones, mode 0600.

    None if none can be written there either.
    """
    name = ""
    try:
        descriptor, name = tempfile.mkstemp(suffix, "kubectl-spy-")
        _fill(descriptor, text)
    except OSError:
        if name:
            with suppress(OSError):
                Path(name).unlink()
        return None
    return Path(name)


def _look(path: Path) -> None:
    """Look at what is at *path* now.

    Raises:
        UsageError: it is no file, or none that can be replaced.
    """
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
            f"{path} cannot be a file: {error.strerror or error}",
            "choose another name",
        ) from None
    if stat.S_ISDIR(there.st_mode):
        raise UsageError(f"{path} is a directory", "name a file in it")
    if stat.S_ISLNK(there.st_mode) and path.parent != Path("/dev"):
        raise UsageError(f"{path} is a symbolic link", "name the file that it leads to")
    if not stat.S_ISREG(there.st_mode):
        raise UsageError(f"{path} is no file", "choose another name")
    above = path.parent.stat()
    # https://pubs.opengroup.org/onlinepubs/9799919799/functions/rename.html, EPERM
    mine = (0, there.st_uid, above.st_uid)
    sticky = above.st_mode & stat.S_ISVTX and hasattr(os, "geteuid")
    if sticky and os.geteuid() not in mine:
        raise UsageError(
            f"{path} is another user's, and {path.parent} lets nobody else replace it",
            "choose another name",
        )


def _create(path: Path) -> tuple[int, Path]:
    """Return a new file beside *path*, open, and where it is."""
    # Its name is not longer than any that may be asked for: names have a limit.
    beside = path.with_name(f".spy-{secrets.token_hex(6)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return os.open(beside, flags, 0o600), beside


def _fill(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def _failed(path: Path, error: OSError) -> SpyError:
    return SpyError(f"cannot write {path}: {error.strerror or error}")
