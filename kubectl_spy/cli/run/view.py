"""The base class of all views, what a view needs, and how it sees its run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import ChangeRecord, Item, Logged
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.cli.run.monitoring import Monitor
    from kubectl_spy.core.trace.picture import Node
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.core.waiting.awaiting import Failure
    from kubectl_spy.sources.pod_logs import PodLogs
    from kubectl_spy.sources.probing import Ask
    from kubectl_spy.sources.recording.recording import Recording

NOT_LISTED = "note: not listed yet:"  # how the note on missing lists begins


class View:
    """Turns items into text. This one shows nothing, as `record` does.

    *judge* knows what fails, for `--for`. Without it nothing fails.
    """

    say: Callable[[str], None]  # Prints a note. A live run also records it.

    def __init__(self, judge: Trace | None = None, *, once: bool = False) -> None:
        self.judge = judge
        self.once = once  # whether to show the current state, and end

    @property
    def known(self) -> bool:
        """Whether the first lists are complete."""
        return True

    @property
    def explains(self) -> bool:
        """Whether the lists that explain a failure are complete."""
        return self.judge is None or self.judge.scope.complete

    @property
    def unlisted(self) -> str:
        """The types whose first list is missing, or ""."""
        return ""

    def text(self, item: Item, *, alone: bool) -> str:
        """Take in *item*, and return its text.

        *alone* says whether there is only one selection.
        """
        return ""

    def pass_over(self, item: Item) -> None:
        """Take in an *item* from before the time to show."""
        self.text(item, alone=True)

    def log(self, logged: Logged) -> None:
        """Take in the log of a container that failed. `rest` prints the news."""

    def rest(self) -> str:
        """Return what else to print after a batch of items."""
        return ""

    def quiet(self, until: float) -> str:
        """Note that nothing came up to the time *until*. Return the text to print."""
        return ""

    def over(self) -> bool:
        """Return whether nothing more can come."""
        return False

    def last(self) -> str:
        """Return what is left to print at the end of a recording."""
        return ""

    def partly(self) -> str:
        """Return what `--once` prints if it ends before all lists are there."""
        return ""

    def say_unlisted(self) -> None:
        """Say once which lists are missing, if any are."""

    def close(self) -> None:
        """Leave standard output as it is to stay."""

    def elapse(self, until: float) -> bool:
        """Let time pass for what `--for` judges. Return whether it may differ now."""
        passed = False
        while self.judge is not None and self.judge.pass_time(until):
            passed = True
        return passed

    def failures(self) -> Iterable[Failure]:
        """Return what fails, from the top down."""
        if self.judge is None or not self.judge.scope.complete:
            return ()  # half a list proves nothing
        return _failures(self.judge)


def _failures(judge: Trace) -> Iterator[Failure]:
    # The import is slow, and most runs wait for nothing.
    from kubectl_spy.core.waiting.awaiting import Failure
    from kubectl_spy.render.findings import text

    for root in judge.picture().roots:
        name = root.gvk.group, root.gvk.kind, root.namespace, root.name
        for node, finding in root.failing():
            said = f"{node.phase} {node.summary}".strip()
            told = text(finding) if finding else said
            remedy = finding.remedy if finding else ""
            final = finding is not None and finding.final
            yield Failure(name, f"{label(node)}: {told}", remedy, final)


def label(node: Node) -> str:
    """Return the type and name of *node*: `deployment.apps/web`."""
    return f"{node.gvk.printed}/{node.name}"


class Scene(NamedTuple):
    """One run of a command, live or from a recording, as its view sees it."""

    terminal: Terminal
    roots: Sequence[Selection]
    """The selections to show. Empty if words choose among what was recorded."""
    others: Sequence[Selection]  # the selections that are followed along with them
    is_root: Callable[[ChangeRecord], bool]  # whether a record is of an object to show
    single: bool  # whether one object was named
    judged: bool  # whether `--for` asks what fails
    keys: TypeKeys | None = None  # those of the lists in all objects
    live: bool = True
    paced: bool = False  # whether a recording is shown at a speed
    namespace: str | None = None
    """The namespace of what is shown, if there is only one."""
    everything: bool = False  # whether it is live, and no target was named
    since: float = 0.0
    """The time before which nothing is shown, in seconds since the epoch."""
    past: bool = False  # whether it begins with what the server remembers
    recording: Recording | None = None  # the recording, if it is not live
    probe: Ask | None = None  # asks a port of a Service for an answer
    logs: PodLogs | None = None  # reads the logs of containers that failed

    def scope(self) -> Scope:
        """Return a new scope of the objects to show."""
        return Scope(self.roots, self.others, self.is_root, everything=self.everything)

    def trace(self) -> Trace:
        """Return a new trace of the objects to show."""
        from kubectl_spy.core.trace.trace import Trace

        return Trace(self.scope())

    def judge(self) -> Trace | None:
        """Return a new trace if `--for` asks what fails."""
        return self.trace() if self.judged else None


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
    """How change records are shown. A recording keeps it for `replay`."""
    owned: bool = False
    """Whether it shows what the targets own, and the Events about all of it."""
    explains: bool = False
    """Whether it also needs the kinds that explain why nothing happens."""
    everything: bool = False
    """Whether no target means everything of the namespace."""
    whole: bool = False
    """Whether it takes in all of a recording, and chooses by itself what to show."""
    bodies: bool = True
    """Whether it needs documents and patches. A recording is read faster without."""
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
