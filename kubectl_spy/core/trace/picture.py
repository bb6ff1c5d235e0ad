"""The tree that a trace shows: objects, their phases and findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.times import rfc3339


class Spell(NamedTuple):
    """A stretch of time in one phase."""

    phase: str
    seconds: float | None  # how long it took, or None if its beginning is not known


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

    def as_json(self) -> dict[str, JSON]:
        """Return the node as a JSON object. Members that do not apply are absent."""
        node: dict[str, JSON] = {
            "apiVersion": self.gvk.api_version,
            "kind": self.gvk.kind,
        }
        if self.namespace:
            node["namespace"] = self.namespace
        node |= {"name": self.name, "uid": self.uid}
        if self.role:
            node["role"] = self.role
        node |= {"phase": self.phase, "verdict": self.verdict.value}
        if self.summary:
            node["summary"] = self.summary
        if self.since is not None:
            node["since"] = rfc3339(self.since)
        if self.final:
            node["final"] = True
        if self.before:
            node["before"] = [
                {"phase": spell.phase}
                if spell.seconds is None
                else {"phase": spell.phase, "seconds": round(spell.seconds, 3)}
                for spell in self.before
            ]
        if self.findings:
            node["findings"] = [_finding(each) for each in self.findings]
        if self.events:
            node["events"] = [_event(each) for each in self.events]
        if self.children:
            node["children"] = [child.as_json() for child in self.children]
        return node


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

    def all(self) -> Iterator[Node]:
        """Yield every node, from the top."""
        for root in self.roots:
            yield from root.all()

    def as_json(self) -> dict[str, JSON]:
        """Return the picture as a JSON object, a line of `-o json`."""
        return {
            "time": rfc3339(self.time),
            "objects": [root.as_json() for root in self.roots],
        }


def _finding(finding: Finding) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "about": finding.about,
        "verdict": finding.verdict.value,
        "text": finding.text,
    }
    if finding.remedy:
        shown["remedy"] = finding.remedy
    if finding.since is not None:
        shown["since"] = rfc3339(finding.since)
    if finding.final:
        shown["final"] = True
    return shown


def _event(event: ClusterEvent) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "type": "Warning" if event.warning else "Normal",
        "reason": event.reason,
        "message": event.message,
        "count": event.times,
    }
    if event.last is not None:
        shown["last"] = rfc3339(event.last)
    if event.component:
        shown["component"] = event.component
    return shown


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
