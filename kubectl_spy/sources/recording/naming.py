"""How recordings are named on a command line. Every start imports this."""

from __future__ import annotations

from pathlib import Path

STDIN = "-"
LOKI = "loki+"  # before the URL of a Loki
GZIP = b"\x1f\x8b"
RECORDING, OTLP = b'{"seq":', b'{"resource'
"""How lines begin: those of a recording, and those of a collector's file."""
_PATHS = (LOKI, "/", "./", "../")
_ENDINGS = (".spy", ".spy.gz")
_MARK = 16  # bytes that tell a recording


def in_file(name: str) -> tuple[str, str]:
    """Return the file of the recording *name*, and which of its recordings is meant.

    FILE#RECORDING is one of several recordings in a file.
    """
    file, _, recording = name.rpartition("#")
    if not file or name == STDIN or Path(name).exists():
        return name, ""
    return file, recording


def is_recording(word: str) -> bool:
    """Return whether *word* on a command line names a recording, and not a target.

    Standard input, a Loki, a path from /, ./ or ../ on, and what ends in .spy or
    .spy.gz are recordings, there or not. So is a named pipe. Another file is one only
    if it begins as one: a file or a folder deploy/web does not hide a Deployment.
    """
    if word == STDIN or word.startswith(_PATHS):
        return True
    file = in_file(word)[0]
    if file == STDIN or file.endswith(_ENDINGS):
        return True
    path = Path(file)
    try:
        if path.is_file():
            with path.open("rb") as opened:
                return opened.read(_MARK).startswith((GZIP, RECORDING, OTLP))
        return path.is_fifo()
    except OSError:
        return False
