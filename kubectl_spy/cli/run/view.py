"""The base class of all views, what a view needs, and how it sees its run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.render.palette import PLAIN, Palette, coloured
from kubectl_spy.sinks.terminal import Terminal, columns_of, wants_colour

if TYPE_CHECKING:
    from kubectl_spy.cli.run.monitoring import Monitor
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.core.waiting.awaited import Step
    from kubectl_spy.sources.pod_logs import PodLogs
    from kubectl_spy.sources.probing import Ask
    from kubectl_spy.sources.recording.recording import Recording


class View:
    """Turns items into text. This one shows nothing."""

    @property
    def ready(self) -> bool:
        """Whether enough is known to show, and to end."""
        return True

    @property
    def finished(self) -> bool:
        """Whether nothing more can come from a cluster.

        Raises SpyError if that is a failure.
        """
        return False

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        """Take in *item*. One that is not *shown* comes before what is to be shown."""

    def flush(self, now: float) -> str:
        """Return what to print, as the time is *now* and nothing else came before."""
        return ""

    def final(self) -> str:
        """Return what is left to print when the items end, or no more are waited for.

        Lists may be missing then.
        """
        return ""

    def close(self) -> None:
        """Leave standard output as it is to stay, whatever ended the run."""


class Scene(NamedTuple):
    """One run of a command, live or from a recording, as its view sees it."""

    terminal: Terminal
    say: Callable[[str], None]  # prints a note; a live run also records it
    scope: Scope  # the selections, and which of them were listed
    single: bool  # whether one object was named
    alone: Callable[[], bool]  # whether there is only one selection
    trace: Trace | None = None  # of the objects to show, if `--for` or the view asks
    keys: TypeKeys | None = None  # those of the lists in all objects
    target: str = ""  # the targets as typed, of a recording
    namespace: str | None = None
    """The namespace of what is shown, if there is only one."""
    since: float = 0.0
    """The time before which nothing is shown, in seconds since the epoch."""
    past: bool = False  # whether it begins with what the server remembers
    recording: Recording | None = None  # the recording, if it is not live
    probe: Ask | None = None  # asks a port of a Service for an answer
    logs: PodLogs | None = None  # reads the logs of containers that failed

    @property
    def live(self) -> bool:
        """Whether it is of a cluster."""
        return self.recording is None


class ChangeFormat(NamedTuple):
    """Which change records to show, and how."""

    excerpt: Excerpt
    narrowing: Narrowing
    output: str  # text, short, json, jsonpatch or yaml
    full: bool  # whether text shows everything, and nothing is folded
    color: str
    watch_only: bool


class ViewSpec(NamedTuple):
    """A view, and what it needs."""

    make: Callable[[Scene], View]
    shown: ChangeFormat | None = None
    """How change records are shown. A recording keeps it for `changes`."""
    owned: bool = False
    """Whether it shows what the targets own, and the Events about all of it."""
    explains: bool = False
    """Whether it also needs the kinds that explain why nothing happens."""
    everything: bool = False
    """Whether no target means everything of the namespace."""
    traces: bool = False
    """Whether it follows the trace of the targets by itself."""
    whole: bool = False
    """Whether it takes in all of a recording, and chooses by itself what to show."""
    bodies: bool = True
    """Whether it needs documents and patches. A recording is read faster without."""
    noise: bool = False  # whether it shows managedFields and resourceVersion
    logs: bool = False  # whether it reads the logs of containers that failed
    silent: bool = False  # whether it prints nothing
    document: bool = False  # whether it prints nothing in place of an empty page
    once: bool = False  # whether it shows the current state, and ends
    monitor: Monitor | None = None  # reports how it goes
    tick: float | None = None
    """Seconds after which to look again, even if nothing happened."""
    within: float = 60.0
    """Seconds in which `once` needs a new list, without a timeout.

    An API server gives up on a request after this long (--request-timeout).
    https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
    """


def trace_for(steps: Sequence[Step], spec: ViewSpec, scope: Scope) -> Trace | None:
    """Return a trace if the view follows one, or `--for` asks what fails."""
    if not spec.traces:
        if not steps:
            return None
        from kubectl_spy.core.waiting.awaited import can_fail

        if not can_fail(steps):
            return None
    from kubectl_spy.core.trace.trace import Trace

    trace = Trace(scope)
    if trace.failing is not None and not spec.traces:
        trace.failing.most = sys.maxsize  # nobody reads them
    return trace


# What a view knows of standard output: its colours and its width.


def palette_of(color: str) -> Palette:
    """Return the colours for `--color`: always, never or auto."""
    return coloured() if wants_colour(color, sys.stdout, os.environ) else PLAIN


def screen_width() -> int:
    """Return the columns of the terminal, or 0 if standard output is none."""
    columns = columns_of(sys.stdout)
    return columns() if columns else 0
