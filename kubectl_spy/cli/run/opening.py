"""Open the file of a recording: a new one, or one that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.core.changes.recording_format import BadLine, Origin, decode
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.packing import Packer, check_name, remove_unfinished
from kubectl_spy.sinks.recorder import Resumed
from kubectl_spy.sinks.recording_file import RecordingFile, check_unlocked
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import last_line, lines_of, segments_of


class Opened(NamedTuple):
    """A file to record to."""

    file: RecordingFile
    resumed: Resumed | None  # where an earlier run left off in it
    packer: Packer


def open_recording(
    path: Path, origin: Origin, *, append: bool, rotates: bool
) -> Opened:
    """Return a new recording at *path*, or with *append* the one that is there.

    What a killed recorder had not finished to gzip is finished. Raises SpyError if
    there is one already, or it cannot be continued.
    """
    if rotates:
        check_name(path)
    closed = segments_of(path)
    if not append or not (path.exists() or closed):
        if path.is_dir():
            raise UsageError(f"{path} is a directory", "name a file in it")
        if closed:
            raise UsageError(
                f"{closed[0]} is a segment of an earlier recording named {path}",
                "choose another name, or continue it with --append",
            )
        return Opened(RecordingFile.create(path), None, Packer())
    if closed and closed[-1].suffix != ".gz":
        check_unlocked(closed[-1])
    header: dict[str, JSON] = {}
    last: dict[str, JSON] = {}
    if path.exists():
        file, header, last = RecordingFile.reopen(path)
    else:
        file = RecordingFile.create(path)
    try:
        resumed = _resumed(path, header, last, closed, origin)
    except SpyError:
        file.close()
        raise
    packer = Packer()
    remove_unfinished(path)
    if resumed:
        packer.add(each for each in closed if _is_unpacked(each, resumed.recording))
    return Opened(file, resumed, packer)


def _is_unpacked(segment: Path, recording: str) -> bool:
    """Whether *segment* is one of *recording*, and not gzipped."""
    if segment.suffix == ".gz":
        return False
    try:
        first = next(lines_of(str(segment)), None)
        return first is not None and decode(first.raw).get("recording") == recording
    except (SpyError, BadLine):
        return False


def _resumed(
    path: Path,
    header: dict[str, Any],
    last: dict[str, Any],
    closed: Sequence[Path],
    origin: Origin,
) -> Resumed | None:
    """Return where the recording at *path* left off; None if nothing of it is there."""
    rotated = 0
    if not header:
        if not closed:
            return None
        # Its recorder was killed as it rotated.
        rotated, newest = 1, str(closed[-1])
        header, last = Recording(newest).header, decode(last_line(newest))
    if header.get("cluster") != origin.cluster:
        context = inert(str(header.get("context")))
        raise UsageError(
            f"{path} was recorded from another cluster (context {context})",
            "record to a new file",
        )
    number = header.get("segment")
    return Resumed(
        seq=last["seq"],
        time=last["time"],
        recording=str(header.get("recording")),
        segment=(number if type(number) is int else 1) + rotated,
    )
