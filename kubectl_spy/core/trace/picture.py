"""The tree that a trace shows: objects, their phases and findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.answer.timeline import Spell
from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.objects import GroupVersionKind, Selection


class Node(NamedTuple):
    """An object at its place in the tree."""

    uid: str
    gvk: GroupVersionKind
    namespace: str | None
    name: str
    phase: str
    verdict: Verdict
    summary: str
    role: str = ""
    counts: bool = True
    since: float | None = None  # when its phase began, in seconds since the epoch
    final: bool = False
    before: tuple[Spell, ...] = ()  # the known phases before this one
    findings: tuple[Finding, ...] = ()
    events: tuple[ClusterEvent, ...] = ()  # the Events about it, the latest last
    children: tuple[Node, ...] = ()
    pods: frozenset[tuple[str, int]] = frozenset()
    """The Pods from here down that count, as uid and `Diagnosis.restarts`."""
    likeness: str = ""  # equal for siblings that are alike
    kinds: tuple[str, ...] = ()  # equal for findings that are alike, one for each

    @property
    def label(self) -> str:
        """The type and name of the object: `deployment.apps/web`."""
        return f"{self.gvk.printed}/{self.name}"

    def all(self) -> Iterator[Node]:
        """Yield the node and all below it, from the top."""
        yield self
        for child in self.children:
            yield from child.all()

    def failing(self) -> Iterator[tuple[Node, Finding | None]]:
        """Yield the failing nodes from here down that count, each with its finding.

        The finding is None if only the verdict says that the node fails.
        """
        wrong = [each for each in self.findings if each.verdict is Verdict.FAILING]
        if wrong:
            yield from ((self, each) for each in wrong)
        elif self.verdict is Verdict.FAILING:
            yield self, None
        for child in self.children:
            if child.counts:
                yield from child.failing()


class Picture(NamedTuple):
    """The roots of a trace at one moment."""

    time: float
    roots: tuple[Node, ...]
    elsewhere: frozenset[str] = frozenset()
    """The uids of objects that were in a picture before, and are below no root now."""
    seen: Mapping[str, Edit] = {}
    """The last change during the watch, by uid: of roots, and of others by clients."""
    logs: Mapping[tuple[str, str], Logged] = {}
    """The logs of failed containers, by the Pod's uid and `Finding.about`."""
    more: int = 0  # how many failing roots it leaves out

    def all(self) -> Iterator[Node]:
        """Yield every node, from the top."""
        for root in self.roots:
            yield from root.all()


def absent(selection: Selection, *, listed: bool) -> Node:
    """Return a node for a named object that does not exist, or is not listed yet."""
    return Node(
        uid="",
        gvk=selection.resource.gvk,
        namespace=selection.namespace,
        name=selection.name or "",
        phase="Absent" if listed else "Unknown",
        verdict=Verdict.WAITING if listed else Verdict.UNKNOWN,
        summary="it is not there" if listed else "the API server has not answered yet",
    )


def current(logs: Iterable[Logged], seen: Inventory) -> dict[tuple[str, str], Logged]:
    """Return the *logs* of last runs, by the Pod's uid and `Finding.about`."""
    return {
        (log.run.uid, run.about): log
        for log in logs
        for run in _runs(log.run.uid, seen)
        if run.of == log.run
    }


def failed_in(picture: Picture, seen: Inventory) -> Iterator[FailedRun]:
    """Yield the failed runs that have a finding in *picture*, from the top."""
    for node in picture.all():
        if node.verdict is not Verdict.OK and node.gvk.kind == "Pod":
            wrong = {each.about for each in node.findings if each.verdict != Verdict.OK}
            yield from (run for run in _runs(node.uid, seen) if run.about in wrong)


def _runs(uid: str, seen: Inventory) -> tuple[FailedRun, ...]:
    entry = seen.entry(uid)
    return seen.once(failed_runs, entry) if entry else ()
