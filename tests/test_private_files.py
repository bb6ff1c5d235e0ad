"""Files for their owner alone, there as a whole or not at all."""

from __future__ import annotations

import os
import resource
import signal
import stat
import tempfile
from pathlib import Path

import pytest

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.private_files import check_private, read_private, write_private


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    previous = os.umask(0)
    try:
        write_private(path, "→")
    finally:
        os.umask(previous)
    assert path.read_bytes() == "→".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_replaced_file_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")
    path.chmod(0o644)
    write_private(path, "after")
    assert path.read_text() == "after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_is_not_followed(tmp_path: Path, dangling: bool) -> None:
    target, path = tmp_path / "precious", tmp_path / "page.html"
    if not dangling:
        target.write_text("precious")
    path.symlink_to(target)
    with pytest.raises(UsageError, match="symbolic link"):
        write_private(path, "page")
    assert path.is_symlink()
    assert target.exists() != dangling and (
        dangling or target.read_text() == "precious"
    )


def test_a_directory_or_a_pipe_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, why in ((tmp_path, "is a directory"), (tmp_path / "pipe", "is no file")):
        for attempt in (check_private, lambda path: write_private(path, "page")):
            with pytest.raises(UsageError, match=why):
                attempt(path)
    assert list(tmp_path.iterdir()) == [tmp_path / "pipe"]


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no directory"):
        write_private(tmp_path / "none" / "page.html", "page")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(SpyError, match="cannot write"):
            write_private(path, "x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_file_that_cannot_be_replaced_is_refused_in_advance(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    page = shared / "page.html"
    page.write_text("theirs")
    own = tmp_path / "own"
    own.mkdir(0o755)
    root = Path(tempfile.gettempdir()).resolve()
    above = [each for each in (*tmp_path.parents, tmp_path) if root in each.parents]
    modes = [each.stat().st_mode for each in above]
    for each in above:
        each.chmod(0o755)
    os.seteuid(12345)
    try:
        with pytest.raises(UsageError, match="is another user's"):
            check_private(page)
        with pytest.raises(UsageError, match=r"cannot write a file in .*own: Perm"):
            check_private(own / "page.html")
        check_private(shared / "other.html")
    finally:
        os.seteuid(0)
        for each, mode in zip(above, modes, strict=True):
            each.chmod(mode)
    assert list(shared.iterdir()) == [page]


def test_a_key_is_read_only_if_others_cannot_read_it(tmp_path: Path) -> None:
    path = tmp_path / "my key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o640)
    with pytest.raises(UsageError, match=r"others may read .*; .*chmod 600 '.*my key'"):
        read_private(path, 32)
    path.chmod(0o400)
    assert read_private(path, 32) == b"k" * 32
    for size in (31, 33):
        with pytest.raises(UsageError, match=f"does not have {size} bytes"):
            read_private(path, size)
    with pytest.raises(UsageError, match=r"cannot read .*No such file"):
        read_private(tmp_path / "none", 32)


def test_a_key_of_a_mounted_secret_is_read_whatever_its_mode(tmp_path: Path) -> None:
    """The kubelet links ..data to a directory, and the file to one in ..data."""
    held = tmp_path / "..2026_11_23"
    held.mkdir()
    (held / "key").write_bytes(b"k" * 32)
    (held / "key").chmod(0o644)
    (tmp_path / "..data").symlink_to(held.name)
    (tmp_path / "key").symlink_to("..data/key")
    assert read_private(tmp_path / "key", 32) == b"k" * 32
