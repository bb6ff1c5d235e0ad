"""Records what a live command watches, to a new file or to an existing recording."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import localtime, strftime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kubectl_spy import __version__
from kubectl_spy.cli.run.options import OfCluster, RecordingRequest
from kubectl_spy.cli.run.signals import DeferSignals
from kubectl_spy.cli.run.view import ChangeFormat
from kubectl_spy.core.changes.contents import counted
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.masking import epoch_of
from kubectl_spy.core.changes.recording_format import Origin
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.wording import many
from kubectl_spy.errors import (
    RequestRefused,
    SpyError,
    Terminated,
    TimedOut,
    UsageError,
)
from kubectl_spy.private_files import check_private
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.closed_segments import Rotation, check_name, remove_unfinished
from kubectl_spy.sinks.delivery import DeliveryLog
from kubectl_spy.sinks.recorder import Progress, Recorder
from kubectl_spy.sinks.recording_file import (
    RecordingFile,
    check_unlocked,
    header_of,
    last_line_of,
)
from kubectl_spy.sinks.resuming import Delivered, Resumed, delivered, resumable
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.recording.segments import (
    no_recording,
    sealed_lines,
    segments_of,
)

if TYPE_CHECKING:
    from kubectl_spy.cli.run.monitoring import Monitor
    from kubectl_spy.sinks.delivery import Delivery


_UNNOTED = 1_000_000  # more lines than are sent in the second before a kill


@contextmanager
def recording_to(
    wanted: RecordingRequest,
    origin: Origin,
    selections: Sequence[Selection],
    history: History,
    terminal: Terminal,
    delivery: Delivery | None,
    *,
    silent: bool,
    monitor: Monitor | None,
    began: float | None,
) -> Iterator[Recorder]:
    """Yield a recorder. Write END when the block ends.

    Raises SpyError if the file exists, or cannot be written.
    """
    rotation = wanted.rotation
    recorder: Recorder | None = None
    reason, failed, refused = "done", False, False
    places = [wanted.file] if wanted.file is not None else []
    places += [delivery.url] if delivery else []
    defer_signals = DeferSignals()
    try:
        with defer_signals:  # or a file that is begun has no end
            if wanted.file is None:
                url, cluster = places[0], origin.cluster
                opened = _resumed_from(wanted.resume, url, cluster, selections)
            else:
                opened = open_recording(
                    Path(wanted.file),
                    origin.cluster,
                    append=wanted.append,
                    rotates=rotation != Rotation(),
                    keep=rotation.keep,
                )
            file = opened.file
            if delivery is not None and isinstance(file, DeliveryLog):
                delivery.when_settled(file.settled)
            recorder = Recorder(
                file,
                origin,
                selections,
                history=history,
                rotation=rotation,
                resumed=opened.resumed,
                segments=opened.segments,
                say=terminal.say,
                defer_signals=defer_signals,
                logs=wanted.logs,
                also=[
                    *([delivery.send] if delivery else []),
                    *([monitor.count] if monitor else []),
                ],
                refresh=wanted.refresh,
                began=began,
            )
        kept = f", the last {duration(rotation.keep)} of it" if rotation.keep else ""
        terminal.say(f"recording to {' and to '.join(places)}{kept}")
        progress = partial(_counts, recorder.progress)
        with terminal.progress(progress, 1.0) if silent else nullcontext():
            yield recorder
    except BaseException as end:
        reason, failed = _reason(end), isinstance(end, SpyError)
        refused = isinstance(end, RequestRefused)
        # A signal is the usual end of `record`, not a failure.
        signalled = isinstance(end, (KeyboardInterrupt, Terminated))
        if recorder is not None and silent and signalled:
            raise click.exceptions.Exit(0) from None
        raise
    finally:
        if recorder is not None:
            new = wanted.file is not None and opened.resumed is None
            _end(recorder, reason, terminal, failed=failed, drops=new and refused)


def _end(
    recorder: Recorder, reason: str, terminal: Terminal, *, failed: bool, drops: bool
) -> None:
    """End a recording. If it *drops* the file, delete it if it holds no object."""
    progress = recorder.progress
    try:
        recorder.end(reason)
    except SpyError:
        if not failed:  # else the full disk was reported already
            raise
    finally:
        if drops and not (progress.objects or progress.changes):
            Path(recorder.name).unlink(missing_ok=True)
        else:
            counts = _counts(progress, " at the end")
            terminal.say(f"recorded to {recorder.name}: {counts}")


def origin_of(
    words: tuple[str, ...],
    asked: OfCluster,
    shown: ChangeFormat | None,
    connection: Connection,
) -> Origin:
    """Return what a recording says of itself: what was asked for, and how shown."""
    excerpt = shown.excerpt if shown else None
    return Origin(
        tool=__version__,
        server=_server_version(connection),
        context=connection.context,
        cluster=connection.cluster_hash,
        command="status" if excerpt and excerpt.status else "changes",
        only=tuple(map(pointer.join, excerpt.only)) if excerpt else (),
        ignore=tuple(map(pointer.join, excerpt.ignore)) if excerpt else (),
        watch_only=bool(shown and shown.watch_only),
        targets=words,
        owned=asked.owned,
        secrets="shown" if asked.show_secrets else "masked",
        redacted=tuple(map(str, asked.redact)),
        epoch=epoch_of(asked.mask_key),
    )


def _server_version(connection: Connection) -> str:
    """Return the version of the server, or "" without the right to read it."""
    try:
        version = connection.get_path("/version")
    except SpyError:
        return ""
    return str(version.get("gitVersion", "")) if isinstance(version, dict) else ""


def _counts(progress: Progress, when: str = "") -> str:
    """Return `3 objects, 132 changes, 84 KB, 2m31s, last change 15:04:05.170`.

    Deleted objects are not counted. *when* says at what time that is so.
    """
    parts = [
        f"{counted(progress.objects, progress.referred)}{when}",
        many(progress.changes, "change"),
        *([many(progress.earlier, "earlier write")] if progress.earlier else []),
        byte_size(progress.size),
        duration(time.time() - progress.began),
    ]
    if progress.last is not None:
        parts.append(f"last change {clock(progress.last)}")
    return ", ".join(parts)


def _reason(end: BaseException) -> str:
    if isinstance(end, Terminated) and end.number != signal.SIGTERM:
        return "hung up"
    reasons: dict[type[BaseException], str] = {
        KeyboardInterrupt: "interrupted",
        Terminated: "terminated",
        TimedOut: "timeout",
        StdoutClosed: "standard output closed",
    }
    return reasons.get(type(end)) or f"error: {inert(str(end))}"


class Opened(NamedTuple):
    """A file to record to."""

    file: RecordingFile
    resumed: Resumed | None  # where an earlier run left off in it
    segments: Sequence[Path] = ()  # what that run closed


def open_recording(
    path: Path,
    cluster: str,
    *,
    append: bool,
    rotates: bool,
    keep: float | None = None,
) -> Opened:
    """Return a new recording at *path*, or with *append* the one of *cluster* there.

    What a killed recorder had not finished to gzip is finished. *keep* is that of the
    ring, if it is one. Raises SpyError if there is one already, or it cannot be
    continued.
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
        return Opened(RecordingFile.create(path), None)
    if closed and closed[-1].suffix != ".gz":
        check_unlocked(closed[-1])
    header: dict[str, JSON] = {}
    last: dict[str, JSON] = {}
    if path.exists():
        file, header, last = RecordingFile.reopen(path)
    else:
        file = RecordingFile.create(path)
    try:
        resumed = _resumed(path, header, last, closed, cluster, keep)
    except SpyError:
        file.close()
        raise
    remove_unfinished(path)
    own = [each for each in closed if resumed and _is_of(each, resumed.recording)]
    return Opened(file, resumed, own)


def _resumed_from(
    resume: str | None, url: str, cluster: str, selections: Sequence[Selection]
) -> Opened:
    """Return what is sent to *url*, continued where the file *resume* says."""
    if resume is None:
        return Opened(DeliveryLog(url, None), None)
    check_private(path := Path(resume))
    file, resumed = DeliveryLog(url, path), None
    if path.exists():
        header, (last, _) = header_of(path), last_line_of(path)
        resumed, file.size = _resumed(path, header, last, (), cluster), 1
        known = delivered(path) or Delivered(last["seq"], last["time"])
        positions = resumable(known.positions, selections)
        file.begin(known._replace(positions=positions))
        if resumed:
            killed = last["type"] != "END"
            resumed = resumed._replace(
                seq=resumed.seq + (_UNNOTED if killed else 0),
                time=known.time or header["time"],
                after=known.seq if killed or known.seq < resumed.seq else None,
                positions=positions,
            )
    return Opened(file, resumed)


def _is_of(segment: Path, recording: str) -> bool:
    try:
        first = next(sealed_lines(segment), b"")
        return decode(first).get("recording") == recording
    except (OSError, SpyError, BadLine):
        return False


def _ends(segment: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first and the last undamaged line of *segment*."""
    first = last = b""
    for last in sealed_lines(segment):
        first = first or last
    if not first:
        raise no_recording(str(segment))
    return decode(first), decode(last)


def _resumed(
    path: Path,
    header: dict[str, Any],
    last: dict[str, Any],
    closed: Sequence[Path],
    cluster: str,
    keep: float | None = None,
) -> Resumed | None:
    """Return where the recording at *path* left off; None if nothing of it is there."""
    rotated = 0
    if not header:
        if not closed:
            return None
        # Its recorder was killed as it rotated.
        rotated = 1
        header, last = _ends(closed[-1])
    if header.get("cluster") != cluster:
        context = header.get("context")
        raise UsageError(
            f"{path} was recorded from another cluster (context {context})",
            "record to a new file",
        )
    if header.get("keep") != keep:  # else it deletes what was to be kept
        kept = header.get("keep")
        held = isinstance(kept, (int, float))
        how = f"--keep {kept:g}s" if held else "no --keep"
        raise UsageError(
            f"{path} was recorded with {how}",
            "continue it so, or record to a new file",
        )
    number = header.get("segment")
    return Resumed(
        seq=last["seq"],
        time=last["time"],
        recording=str(header.get("recording")),
        segment=(number if type(number) is int else 1) + rotated,
    )


# Names the file of a `record` without -f.

_OTHERS = re.compile(r"[^A-Za-z0-9.-]+")  # a context may be a whole ARN
_FORMS = ("%Y%m%d-%H%M", "%Y%m%d-%H%M%S")


def default_file(context: str, namespace: str | None) -> str:
    """Return a new name in this directory: `kind-dev_shop_20261126-0312.spy`.

    Several in a minute also have the seconds.
    """
    named = [_OTHERS.sub("-", each).strip("-.") for each in (context, namespace or "")]
    before = "_".join(filter(None, named)) or "recording"
    now = localtime()
    short, long = (f"{before}_{strftime(form, now)}.spy" for form in _FORMS)
    return long if Path(short).exists() else short
