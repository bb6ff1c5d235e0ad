"""Why a root fails: the deepest cause below it, and the last change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import FINE, Finding, Verdict
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.trace.alike import kinds
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
