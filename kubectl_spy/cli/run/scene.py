"""What a view needs to know of a run, and what a run needs to know of a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.view import View
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.sources.pod_logs import PodLogs
    from kubectl_spy.sources.probing import Ask
    from kubectl_spy.sources.recording.recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One run of a command, live or from a recording, as its view sees it."""

    terminal: Terminal
    roots: Sequence[Selection]
    """The selections to show. Empty if words choose among what was recorded."""
    others: Sequence[Selection]  # the selections that are followed along with them
    is_root: Callable[[ChangeRecord], bool]  # whether a record is of an object to show
    single: bool  # whether one object was named
    judged: bool  # whether `--for` asks what fails
    live: bool = True
    paced: bool = False  # whether a recording is shown at a speed
    namespace: str | None = None  # the namespace that was asked of a recording
    since: float = 0.0
    """The time before which nothing is shown, in seconds since the epoch."""
    recording: Recording | None = None  # the recording, if it is not live
    probe: Ask | None = None  # asks a port of a Service for an answer
    logs: PodLogs | None = None  # reads the logs of containers that failed

    def scope(self) -> Scope:
        """Return a new scope of the objects to show."""
        return Scope(self.roots, self.others, self.is_root)

    def trace(self) -> Trace:
        """Return a new trace of the objects to show."""
        from kubectl_spy.core.trace.trace import Trace

        return Trace(self.scope())

    def judge(self) -> Trace | None:
        """Return a new trace if `--for` asks what fails."""
        return self.trace() if self.judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFormat:
    """Which change records to show, and how."""

    excerpt: Excerpt
    narrowing: Narrowing
    output: str  # text, short, json, jsonpatch or yaml
    full: bool  # whether text shows everything, and nothing is folded
    color: str
    watch_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSpec:
    """A view, and what it needs."""

    make: Callable[[Scene], View]
    shown: ChangeFormat | None = None
    """How change records are shown. A recording keeps it for `replay`."""
    owned: bool = False
    """Whether it shows what the targets own, and the Events about all of it."""
    explains: bool = False
    """Whether it also needs the kinds that explain why nothing happens."""
    logs: bool = False  # whether it reads the logs of containers that failed
    silent: bool = False  # whether it prints nothing
    once: bool = False  # whether it shows the current state, and ends
    tick: float | None = None
    """Seconds after which to look again, even if nothing happened."""
    within: float = 60.0
    """Seconds in which `once` needs a new list, without a timeout.

    An API server gives up on a request after this long (--request-timeout).
    https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
    """
