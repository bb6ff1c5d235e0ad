"""A recording on disk that the system does not give access to any more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubectl_spy.errors import SpyError
from kubectl_spy.sinks.recording_file import RecordingFile


def test_an_error_of_the_file_system_is_told_by_the_next_write(tmp_path: Path) -> None:
    """An NFS server that restarts answers ESTALE; a closed descriptor gives EBADF."""
    path = tmp_path / "file.spy"
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
    file = RecordingFile(path, descriptor, 0)
    os.close(descriptor)
    assert file.astray() == ""
    with pytest.raises(SpyError, match=r"cannot write to .*file\.spy"):
        file.write(b"{}\n")
