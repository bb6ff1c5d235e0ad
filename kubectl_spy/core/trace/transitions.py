"""The differences between two pictures."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.trace.picture import Node, Picture


class Happening(Enum):
    """The kinds of differences."""

    APPEARED = "appeared"
    MOVED = "moved"  # it has another parent, or another relation to its parent
    PHASE = "phase"
    SUMMARY = "summary"
    FOUND = "found"
    RESOLVED = "resolved"
    REPORTED = "reported"  # an Event about it, or a repetition
    LOGGED = "logged"  # the log of a container that failed was read
    LEFT = "left"  # it exists, and no longer belongs to a root
    GONE = "gone"


class Transition(NamedTuple):
    """One difference of one object."""

    time: float
    happening: Happening
    node: Node  # its current node, or its last one if it is gone
    before: Node | None = None
    parent: Node | None = None
    finding: Finding | None = None
    event: ClusterEvent | None = None
    log: Logged | None = None


class _Placed(NamedTuple):
    node: Node
    parent: Node | None


def transitions(before: Picture | None, after: Picture) -> Iterator[Transition]:
    """Yield the differences between two pictures, from the top of the tree.

    *before* is None at the beginning: every object appears. Earlier Events about
    healthy objects are left out.
    """
    old = {} if before is None else _by_uid(before)
    new = _by_uid(after)
    for uid, placed in old.items():
        if uid not in new and placed.node.uid:  # an absent object cannot go
            left = uid in after.elsewhere
            how = Happening.LEFT if left else Happening.GONE
            yield Transition(after.time, how, placed.node, parent=placed.parent)
    for uid, placed in new.items():
        known = old.get(uid)
        if known is None:
            yield from _appeared(after.time, placed, first=before is None)
        elif known.node != placed.node or _above(known) != _above(placed):
            yield from _changed(after.time, known, placed)
    for (uid, about), log in after.logs.items():
        is_known = before is not None and before.logs.get((uid, about)) == log
        if uid in new and not is_known:
            yield Transition(log.time, Happening.LOGGED, new[uid].node, log=log)


def _by_uid(picture: Picture) -> dict[str, _Placed]:
    found: dict[str, _Placed] = {}
    pending = [_Placed(root, None) for root in reversed(picture.roots)]
    while pending:
        placed = pending.pop()
        node = placed.node
        found.setdefault(node.uid or f"{node.gvk.kind}/{node.name}", placed)
        pending += [_Placed(child, node) for child in reversed(node.children)]
    return found


def _appeared(time: float, placed: _Placed, *, first: bool) -> Iterator[Transition]:
    node, parent = placed
    yield Transition(time, Happening.APPEARED, node, parent=parent)
    for finding in node.findings:
        yield Transition(time, Happening.FOUND, node, parent=parent, finding=finding)
    for event in node.events:
        if not first:
            yield Transition(time, Happening.REPORTED, node, event=event)


def _changed(time: float, known: _Placed, placed: _Placed) -> Iterator[Transition]:
    before, node = known.node, placed.node
    played = node.role and node.role != before.role
    if played or _above(known) != _above(placed):
        yield Transition(time, Happening.MOVED, node, before, parent=placed.parent)
    if node.phase != before.phase:
        yield Transition(time, Happening.PHASE, node, before)
    elif node.summary != before.summary or node.verdict != before.verdict:
        yield Transition(time, Happening.SUMMARY, node, before)
    was = {each.about: each for each in before.findings}
    now = {each.about: each for each in node.findings}
    for about, finding in was.items():
        if about not in now:
            yield Transition(time, Happening.RESOLVED, node, before, finding=finding)
    for about, finding in now.items():
        known_finding = was.get(about)
        if known_finding is None or (finding.verdict, finding.fact) != (
            known_finding.verdict,
            known_finding.fact,
        ):
            yield Transition(
                time, Happening.FOUND, node, before, placed.parent, finding
            )
    counts = {each.uid: each.times for each in before.events}
    for event in node.events:
        if counts.get(event.uid) != event.times:
            yield Transition(time, Happening.REPORTED, node, before, event=event)


def _above(placed: _Placed) -> str:
    return "" if placed.parent is None else placed.parent.uid
