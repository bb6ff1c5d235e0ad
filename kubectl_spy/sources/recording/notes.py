"""Notes about versions in a recording, kept beside it in FILE.notes.json."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.core.jsontext import loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.errors import SpyError
from kubectl_spy.private_files import write_private
from kubectl_spy.sources.recording.naming import in_file
from kubectl_spy.sources.recording.segments import is_fetched, is_read_once

LONGEST = 500
"""The most characters of a note."""
MOST = 1_000
"""The most notes of a recording."""
_SIZE = 4 << 20  # bytes of a file that is read
_FORMAT = {"format": "kubectl-spy-notes", "version": "1"}
_MEMBERS = ("seq", "time", "apiVersion", "kind", "namespace", "name", "text")
_ELSEWHERE = "move it away, and notes begin anew"


class Note(NamedTuple):
    """What a person wrote about one version of an object."""

    seq: int
    time: float  # in seconds since the epoch
    api_version: str
    kind: str
    namespace: str | None
    name: str
    text: str = ""

    @property
    def version(self) -> tuple[int, float]:
        """The seq and time of the change record that it is about."""
        return self.seq, self.time


def notes_path(name: str) -> Path | None:
    """Return the file with the notes of the recording *name*.

    None if it has no place: it is a pipe, or was fetched from a Loki.
    """
    if is_fetched(name) or is_read_once(name):
        return None
    return Path(f"{in_file(name)[0]}.notes.json")


def read_notes(name: str, header: Mapping[str, Any]) -> list[Note]:
    """Return the notes of the recording *name* in order; [] if there are none.

    *header* is its first line, decoded. Raises SpyError if the file cannot be read, is
    no file of notes, or belongs to another recording.
    """
    path = notes_path(name)
    raw = None if path is None else _read(path)
    if raw is None:
        return []
    try:
        found = loads(raw)
        if not isinstance(found, dict) or found.get("format") != _FORMAT["format"]:
            raise ValueError("it has no notes of kubectl spy")
        if found.get("version") != _FORMAT["version"]:
            raise ValueError("a newer kubectl spy wrote it")
        if found.get("recording") not in (None, _id_of(header)):
            raise ValueError("it belongs to another recording")
        listed = found.get("notes")
        if not isinstance(listed, list) or len(listed) > MOST:
            raise ValueError("it has no list of notes, or too many")
        return sorted(map(_note, listed), key=lambda note: note[:2])
    except ValueError as error:
        raise SpyError(f"cannot use {path}: {error}", _ELSEWHERE) from None


def write_notes(name: str, header: Mapping[str, Any], notes: Sequence[Note]) -> None:
    """Make *notes* those of the recording *name*. The file is 0600, whole or not there.

    Raises SpyError if that is not possible.
    """
    path = notes_path(name)
    if path is None:
        raise SpyError("notes of a pipe or a Loki are not kept")
    import json  # orjson indents, too, but not every platform has it

    listed = [
        dict(zip(_MEMBERS, (note.seq, rfc3339(note.time), *note[2:]), strict=True))
        for note in sorted(notes, key=lambda note: note[:2])
    ]
    found = {**_FORMAT, "recording": _id_of(header), "notes": listed}
    write_private(path, json.dumps(found, indent=1) + "\n")


def _read(path: Path) -> bytes | None:
    flags = os.O_RDONLY
    for each in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, each, 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SpyError(f"cannot read {path}: {error.strerror}", _ELSEWHERE) from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SpyError(f"{path} is no file", _ELSEWHERE)
        raw = file.read(_SIZE + 1)
    if len(raw) > _SIZE:
        raise SpyError(f"{path} is longer than {_SIZE >> 20} MiB", _ELSEWHERE)
    return raw


def _note(found: JSON) -> Note:
    """Return the note in *found*. Raises ValueError if it is none."""
    members: dict[str, Any] = found if isinstance(found, dict) else {}
    parts: list[Any] = [members.get(each) for each in _MEMBERS]
    seq, time, *texts = parts
    namespace = texts[2]
    strings = [time, *texts[:2], *texts[3:], "" if namespace is None else namespace]
    if type(seq) is not int or not all(isinstance(each, str) for each in strings):
        raise ValueError("a note in it is about no version")
    if len(texts[4]) > LONGEST:
        raise ValueError("a note in it is too long")
    return Note(seq, seconds(time), *texts)


def _id_of(header: Mapping[str, Any]) -> str | None:
    found = header.get("recording")
    return found if isinstance(found, str) else None
