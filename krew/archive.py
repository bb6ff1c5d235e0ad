"""Write the archive: the same bytes from the same files, wherever and whenever."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path


def write_archive(target: Path, root: Path, *, epoch: int) -> None:
    """Pack what is in *root* into *target*, a .zip or a .tar.gz.

    Sorted, all of it root's and as old as *epoch*, and regular files only: krew
    unpacks nothing else.
    """
    pack = _write_zip if target.suffix == ".zip" else _write_tar
    pack(target, root, epoch)


def _files(root: Path) -> Iterator[tuple[str, bytes, int]]:
    """Yield name, content and mode; what is a link becomes what it leads to."""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            mode = 0o755 if os.access(path, os.X_OK) and not path.suffix else 0o644
            yield path.relative_to(root).as_posix(), path.read_bytes(), mode


def _write_tar(target: Path, root: Path, epoch: int) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content, mode in _files(root):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, epoch
            tar.addfile(entry, io.BytesIO(content))
    target.write_bytes(gzip.compress(plain.getvalue(), 9, mtime=epoch))


def _write_zip(target: Path, root: Path, epoch: int) -> None:
    when = time.gmtime(epoch)[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in _files(root):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: the mode counts
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)
