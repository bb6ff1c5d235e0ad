"""Serves a recording until Ctrl-C."""

from __future__ import annotations

import gc
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from math import inf
from pathlib import Path

from kubectl_spy.cli.run.points import inside, resolved
from kubectl_spy.core.changes.points import Moment, Point
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.serve.player import Place, Player
from kubectl_spy.extras.serve.recorded import RecordedCluster
from kubectl_spy.extras.serve.server import RecordingServer
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.index_points import find_line
from kubectl_spy.sources.watching.clock import UNSEEN


def serve_recording(
    terminal: Terminal, name: str, point: str, speed: float | None, address: str
) -> None:
    """Serve the recording *name* from *point* on, and say how to use it.

    With a *speed* it plays. Raises SpyError if that is not possible.
    """
    with ExitStack() as stack:
        index = stack.enter_context(closing(Index(name)))
        index.grow(inf)

        def find(word: str) -> Place:
            return _place(index, resolved(word, index.recording, None, end=True))

        begin = resolved(point, index.recording, None, end=True)
        begin = inside(point, begin, index.recording, terminal)
        recorded = RecordedCluster(index)
        player = Player(recorded, _place(index, begin), speed)
        gc.set_threshold(100_000, 20, 100)  # most of what is made has no cycles
        try:
            server = RecordingServer(recorded, player, find, address)
            stack.enter_context(server)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SpyError(f"cannot listen on {address}: {reason}") from None
        directory = tempfile.TemporaryDirectory(prefix="kubectl-spy-serve-")
        path = server.write_kubeconfig(
            Path(stack.enter_context(directory)) / "kubeconfig",
            namespace=_namespace(index),
        )
        terminal.write(f"export KUBECONFIG={shlex.quote(str(path))}\n")
        for line in _said(index, player.now(), playing=speed is not None):
            terminal.say(line)
        while True:
            time.sleep(UNSEEN)


def _place(index: Index, point: Point) -> Place:
    line = find_line(index, point)
    time = point.time if isinstance(point, Moment) else index.times[line]
    # As in show: a time before the recording is its beginning.
    return Place(line, max(time, index.recording.began))


def _namespace(index: Index) -> str | None:
    """Return the namespace of all that was recorded, if it is one."""
    found = {each.namespace for each in index.subjects if each.namespace}
    return found.pop() if len(found) == 1 else None


def _said(index: Index, moment: float, *, playing: bool) -> Iterator[str]:
    """Yield what is served, and how to look at it, in lines."""
    name = index.recording.name
    how = "It plays from the first watch on." if playing else "It stands still."
    if index.damaged:
        yield f"note: {name} is damaged: see {kubectl('spy ls {} --verify', name)}"
    yield f"Serving {name} as it was at {_local(moment)}, until Ctrl-C. {how}"
    yield "In another terminal, with that variable set:"
    yield "  kubectl get pods -A"
    server = "$(kubectl config view --minify -o jsonpath={..server})"
    yield f'  curl -X POST "{server}/spy/seek?at=last-5m"'


def _local(moment: float) -> str:
    return " ".join(day_and_clock(moment))
