"""Errors of the system while a recording is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.errors import SpyError
from kubectl_spy.sinks.recording_file import RecordingFile
from tests.recordings import recorder_to


def test_the_next_write_reports_an_error_of_the_file_system(tmp_path: Path) -> None:
    """An NFS server that restarts answers ESTALE; a closed descriptor gives EBADF."""
    path = tmp_path / "file.spy"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    file = RecordingFile(path, descriptor, 0)
    os.close(descriptor)
    assert file.astray() == ""
    with pytest.raises(SpyError, match=r"cannot write to .*file\.spy"):
        file.write(b"{}\n")


def test_close_reports_an_error_once_in_one_line(tmp_path: Path) -> None:
    """NFS tells as late as on close that the disk is full, or the handle stale."""
    file = RecordingFile.create(tmp_path / "file.spy")
    file.write(b"{}\n")
    os.close(file._descriptor)
    with pytest.raises(SpyError, match=r"cannot write to .*file\.spy: Bad file"):
        file.close()
    file.close()


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="/dev/null is POSIX's")
def test_a_failed_sync_is_reported_by_the_next_write_and_by_close() -> None:
    """Linux tells it once: the next fdatasync says that all is well.

    /dev/null takes what is written, and cannot sync it.
    """
    tells: tuple[Callable[[RecordingFile], None], ...] = (
        lambda file: file.write(b"{}\n"),
        RecordingFile.close,
    )
    for tell in tells:
        file = RecordingFile(Path("/dev/null"), os.open("/dev/null", os.O_RDWR), 0)
        file.write(b"{}\n")
        with pytest.raises(SpyError, match="cannot write to /dev/null: Invalid"):
            file.sync()
        with pytest.raises(SpyError, match="cannot write to /dev/null: Invalid"):
            tell(file)
        with suppress(SpyError):
            file.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(file._descriptor)


def test_the_end_of_a_recorder_reports_an_error_in_one_line(tmp_path: Path) -> None:
    recorder = recorder_to(tmp_path / "file.spy", History())
    os.close(recorder._file._descriptor)
    with pytest.raises(SpyError, match=r"cannot write to .*file\.spy: Bad file"):
        recorder.end("done")
