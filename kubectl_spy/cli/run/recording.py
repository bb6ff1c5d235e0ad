"""Records what a live command watches."""

from __future__ import annotations

import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from kubectl_spy import __version__
from kubectl_spy.cli.run.defer_signals import DeferSignals
from kubectl_spy.cli.run.opening import open_recording
from kubectl_spy.cli.run.request import Request
from kubectl_spy.cli.run.scene import ViewSpec
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.recording_format import Origin
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, Terminated, TimedOut
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration, local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sinks.recorder import Progress, Recorder, Rotation
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection


@contextmanager
def recording_to(
    request: Request,
    spec: ViewSpec,
    connection: Connection,
    selections: Sequence[Selection],
    history: History,
    terminal: Terminal,
) -> Iterator[Recorder | None]:
    """Yield a recorder, or None without `--record`. Write END when the block ends.

    Raises SpyError if the file exists, or cannot be written.
    """
    wanted = request.recording
    if wanted is None:
        yield None
        return
    origin = _origin(request, spec, connection)
    path = Path(wanted.file)
    rotates = wanted.rotation != Rotation()
    stopped = threading.Event()
    recorder: Recorder | None = None
    reason, failed = "done", False
    defer_signals = DeferSignals()
    try:
        with defer_signals:  # or a file that is begun has no end
            opened = open_recording(path, origin, append=wanted.append, rotates=rotates)
            recorder = Recorder(
                opened.file,
                origin,
                selections,
                present=history.present,
                rotation=wanted.rotation,
                resumed=opened.resumed,
                packer=opened.packer,
                say=lambda line: terminal.say(inert(line)),
                defer_signals=defer_signals,
                logs=wanted.logs,
            )
        terminal.say(f"recording to {wanted.file}")
        if spec.silent:
            _tell_progress(recorder, terminal, stopped)
        yield recorder
    except BaseException as end:
        reason, failed = _reason(end), isinstance(end, SpyError)
        # A signal is the usual end of `record`, not a failure.
        signalled = isinstance(end, (KeyboardInterrupt, Terminated))
        if recorder is not None and spec.silent and signalled:
            raise click.exceptions.Exit(0) from None
        raise
    finally:
        stopped.set()
        if recorder is not None:
            _end(recorder, reason, terminal, failed=failed)


def _end(recorder: Recorder, reason: str, terminal: Terminal, *, failed: bool) -> None:
    try:
        recorder.end(reason)
    except SpyError:
        if not failed:  # else the full disk was reported already
            raise
    finally:
        terminal.say(
            f"recorded to {inert(str(recorder.path))}: {_told(recorder.progress)}"
        )


def _origin(request: Request, spec: ViewSpec, connection: Connection) -> Origin:
    excerpt = spec.shown.excerpt if spec.shown else None
    return Origin(
        tool=__version__,
        server=_server_version(connection),
        context=connection.context,
        cluster=connection.cluster_hash,
        command="status" if excerpt and excerpt.status else "changes",
        only=tuple(map(pointer.join, excerpt.only)) if excerpt else (),
        ignore=tuple(map(pointer.join, excerpt.ignore)) if excerpt else (),
        watch_only=bool(spec.shown and spec.shown.watch_only),
        targets=request.words,
        owned=request.owned,
        secrets="shown" if request.show_secrets else "masked",
        epoch=secrets.token_hex(4),
    )


def _server_version(connection: Connection) -> str:
    """Return the version of the server, or "" without the right to read it."""
    try:
        version = connection.get_path("/version")
    except SpyError:
        return ""
    return str(version.get("gitVersion", "")) if isinstance(version, dict) else ""


def _tell_progress(
    recorder: Recorder, terminal: Terminal, stopped: threading.Event
) -> None:
    """Keep one line on the terminal up to date. Print nothing in a pipe."""

    def tell() -> None:
        while not stopped.wait(1.0):
            terminal.show_progress(inert(_told(recorder.progress)))

    if terminal.shows_progress:
        threading.Thread(target=tell, name="progress", daemon=True).start()


def _told(progress: Progress) -> str:
    """Return `3 objects, 132 changes, 84 KB, 2m31s, last change 15:04:05.170`."""
    parts = [
        many(progress.objects, "object"),
        many(progress.changes, "change"),
        byte_size(progress.size),
        duration(time.time() - progress.began),
    ]
    if progress.last is not None:
        parts.append(f"last change {clock(local(progress.last, None))}")
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


Say = Callable[[str], None]


def written_down(
    say: Say, recorder: Recorder | None, fail: Callable[[SpyError], None]
) -> Say:
    """Return a *say* for notes of the watch, which also writes them to the recording.

    Any thread may call it. If writing fails, it calls *fail*.
    """
    if recorder is None:
        return say

    def both(line: str) -> None:
        try:
            recorder.reconnect(line)
        except SpyError as error:
            fail(error)
        say(line)  # last: a Ctrl-C may be the answer

    return both
