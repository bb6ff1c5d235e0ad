"""Records what a live review shows, in a process of its own.

So keys are answered at once, whatever the cluster sends.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import click

from kubectl_spy.cli.run.this_program import this_program
from kubectl_spy.errors import SpyError

_EXPECTED = ("recording to ", "recorded to ", "watching ", "and what belongs to it ")
"""The beginnings of lines that say what the screen shows anyway."""
_LOOK = 0.02  # seconds between two looks at a file that is not there yet
_PATIENCE = 10.0  # seconds for a recorder to end its file


class RecorderProcess:
    """A `kubectl spy record` that writes to *file*, and at the end may delete it.

    What it prints goes to *said*, and until the screen is there also to *say*.
    """

    def __init__(
        self,
        words: Sequence[str],
        file: Path,
        say: Callable[[str], None],
        *,
        deletes: bool,
    ) -> None:
        self.file = file
        self.said = ""
        """The last line that it printed."""
        self.say: Callable[[str], None] | None = say
        # If this process is killed, nobody else deletes a temporary file.
        deleted = str(file) if deletes else ""
        words = ["__child", deleted, "record", *words, "-f", str(file)]
        self._process = subprocess.Popen(
            [*this_program(), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C and Ctrl-Z are for the screen alone
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def has_ended(self) -> bool:
        """Whether it writes no more."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Return once there are lines of the recording.

        Raises click's Exit with its exit code if it ends before.
        """
        while not self._has_lines:
            if self.has_ended:
                self._reader.join()
                raise click.exceptions.Exit(self._process.returncode)
            time.sleep(_LOOK)

    def stop(self) -> None:
        """Let it end its recording, and wait for that."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stderr is not None:
            self._process.stderr.close()

    @property
    def _has_lines(self) -> bool:
        try:
            with self.file.open("rb") as file:
                return file.readline().endswith(b"\n")
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SpyError(f"cannot read {self.file}: {error.strerror}") from None

    def _read(self) -> None:
        errors: IO[bytes] | None = self._process.stderr
        for line in errors or ():
            text = line.decode("utf-8", "replace").rstrip()
            if text.startswith(_EXPECTED):
                continue
            self.said = text
            if self.say is not None:
                self.say(text)


@contextmanager
def recording(
    words: Sequence[str], kept: str | None, say: Callable[[str], None]
) -> Iterator[RecorderProcess]:
    """Give a recorder with the arguments *words*, which stops when the block ends.

    Without *kept* its file is deleted then. Raises SpyError if *kept* exists.
    """
    with tempfile.TemporaryDirectory(
        prefix="kubectl-spy-", ignore_cleanup_errors=True
    ) as directory:
        file = Path(kept or f"{directory}/live.spy")
        if file.exists():
            raise SpyError(f"{file} is there already", f"kubectl spy review {file}")
        recorder = RecorderProcess(words, file, say, deletes=kept is None)
        try:
            recorder.wait()
            yield recorder
        finally:
            recorder.stop()
