"""Why a root fails: the deepest cause below it, and the last change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.answer.answer import Answer
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.causes.writes import Write
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.cluster.references import LEVELS, controller_of
from kubectl_spy.core.diagnosis.finding import FINE, Finding, Verdict
from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.trace.failing import kinds
from kubectl_spy.core.trace.last_edit import Edits
from kubectl_spy.core.trace.picture import Node


class Cause(NamedTuple):
    """The finding of a node that explains most of what fails above it."""

    node: Node
    finding: Finding
    others: int
    """How many other findings are as deep, those that are alike counted once."""
    alike: tuple[str, ...] = ()  # the uids of all nodes that have it


class LastEdit(NamedTuple):
    """The last change that may explain a failure."""

    edit: Edit
    of: Entry | ChangeRecord | None  # what was changed, or None if it is the root


class Reason(NamedTuple):
    """Why a root fails: the deepest cause below it, and the last change."""

    cause: Cause | None = None
    last: LastEdit | None = None


def deepest_cause(root: Node, *, stuck: bool = False) -> Cause | None:
    """Return the deepest finding that fails below *root*, or None.

    Of several it is the one that most nodes share. If *root* fails, may fail again, or
    is *stuck*, and nothing below it fails, it is one that waits and has a remedy. None
    if *root* says the same.
    """
    found: dict[tuple[bool, int], dict[object, list[tuple[Node, Finding]]]] = {}
    fails = stuck or root.verdict is Verdict.FAILING
    fails = fails or any(times for _, times in root.pods)
    for depth, node in _below(root, 0):
        if node.verdict in FINE:
            continue
        for finding, kind in zip(node.findings, kinds(node), strict=True):
            if depth and _explains(finding, fails=fails):
                rank = finding.verdict is Verdict.FAILING, depth
                alike = found.setdefault(rank, {})
                alike.setdefault(kind, []).append((node, finding))
    if not found:
        return None
    deepest = found[max(found)].values()
    most = min(deepest, key=lambda group: (-len(group), group[0][0].name))
    node, finding = most[0]
    said = [each.fact for each in root.findings]
    if finding.fact in said:
        return None
    uids = tuple(each.uid for each, _ in most)
    return Cause(node, finding, len(deepest) - 1, uids)


def _explains(finding: Finding, *, fails: bool) -> bool:
    if finding.verdict is Verdict.FAILING:
        return True
    return fails and finding.verdict is Verdict.WAITING and bool(finding.remedy)


def _below(node: Node, depth: int) -> Iterator[tuple[int, Node]]:
    yield depth, node
    for child in node.children:
        if child.counts:
            yield from _below(child, depth + 1)


# Why a root of a trace fails: its deepest cause, and what was changed before.


def reason_of(
    root: Node, answer: Answer, seen: Model, edits: Mapping[str, Edits]
) -> Reason:
    """Return why *root*, or what it needs, fails. *edits* are by uid.

    The change is the one of the watch that most likely caused it. If there is none, it
    is the last one of *root*, of what leads to the deepest cause, or of its
    controllers.
    """
    cause = deepest_cause(root, stuck=answer.of(root.uid) is not None)
    if root.verdict in FINE and cause is None:
        return Reason()
    if suspect := _suspect(root, cause, answer, seen):
        of = None if suspect.record.identity == root.uid else suspect.record
        return Reason(cause, LastEdit(suspect.edit, of))
    finding = cause.finding if cause else next(iter(root.findings), None)
    uids = [root.uid]
    if cause is not None:
        above = _chain(cause.node.uid, seen)
        uids = [*_path(root, cause.node.uid), *(each.uid for each in above)]
    found = [
        LastEdit(edit, None if uid == root.uid else entry)
        for uid in dict.fromkeys(uids)
        if (entry := seen.remains(uid))
        and (edit := (edits.get(uid) or Edits()).last(entry, seen, finding))
    ]
    return Reason(cause, max(found, key=lambda each: each.edit.time, default=None))


def _suspect(
    root: Node, cause: Cause | None, answer: Answer, seen: Model
) -> Write | None:
    """Return the write of the watch that most likely caused a failure, or None."""
    for entry in _chain(cause.node.uid if cause else root.uid, seen)[::-1]:
        if (failure := answer.of(entry.uid)) and failure.by:
            return failure.by[0].write
    return None


def _chain(uid: str, seen: Model) -> tuple[Entry, ...]:
    found: list[Entry] = []
    entry = seen.entry(uid)
    while entry is not None and len(found) < LEVELS:
        found.append(entry)
        entry = seen.entry(text(controller_of(entry.document), "uid"))
    return tuple(found)


def _path(root: Node, uid: str) -> list[str]:
    """Return the uids from *root* down to *uid*, or [] if it is not there."""
    if root.uid == uid:
        return [uid]
    below = (_path(child, uid) for child in root.children)
    found = next(filter(None, below), None)
    return [root.uid, *found] if found else []
