"""A recording without a file, and where it ends, for --resume."""

from __future__ import annotations

import os
from pathlib import Path

from kubectl_spy.private_files import open_private, replacing
from kubectl_spy.sinks.recording_file import RecordingFile, failed, lock


class NoFile(RecordingFile):
    """A recording that is only sent, to *url*.

    The file *resume* gets the first and the last line of the run, once a second and at
    the end. It is replaced each time, so a file beside it is locked.
    """

    def __init__(self, url: str, resume: Path | None) -> None:
        super().__init__(resume or Path(os.devnull), -1, 0)
        self.name = url
        self._resume = resume
        if resume is not None:
            beside = resume.with_name(f"{resume.name}.lock")
            try:
                self._descriptor = open_private(beside, os.O_CREAT)
            except OSError as error:
                raise failed("lock", beside, error) from None
            lock(self._descriptor, resume)
        self._begun = self._last = b""

    def write(self, line: bytes) -> None:
        with self._lock:
            if self._lost:
                raise self._lost
            self._begun, self._last = self._begun or line, line
            self.size += len(line)
            self._written = True
            if self._begun is line:  # no later run must use its number again
                self._sync()

    def astray(self) -> str:
        return ""

    def close(self) -> None:
        self.sync()

    def _sync(self) -> None:
        if self._resume is None or not self._written:
            return
        self._written = False
        try:
            with replacing(self._resume) as file:
                file.writelines(dict.fromkeys((self._begun, self._last)))
        except OSError as error:
            self._lost = failed("write to", self._resume, error)
            raise self._lost from None
