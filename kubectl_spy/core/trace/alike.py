"""Siblings of a tree that fail alike, and the deepest cause of a failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.trace.picture import Node

_FEW = 5
"""Siblings that are as they should be and are shown one by one."""


def groups(siblings: Sequence[Node]) -> list[list[Node]]:
    """Return *siblings* in order, those that are alike together.

    They are of one kind, are in one phase with the same findings but for their names,
    and have nothing below them. Up to five that are as they should be stay alone.
    """
    found: dict[object, list[Node]] = {}
    for node in siblings:
        found.setdefault(_likeness(node), []).append(node)
    return [part for group in found.values() for part in _parts(group)]


def _parts(group: list[Node]) -> list[list[Node]]:
    fine = group[0].verdict is Verdict.OK and len(group) <= _FEW
    return [[each] for each in group] if fine else [group]


def names_of(group: Sequence[Node]) -> str:
    """Return the first and the last name of a *group*, without what they share.

    >>> from types import SimpleNamespace as N
    >>> names_of([N(name="api-67bb-zw800"), N(name="api-67bb-zw814")])
    'zw800 … zw814'
    """
    names = [each.name for each in group]
    before, dash, _ = names[0].rpartition("-")
    start = before + dash
    shared = len(start) if all(each.startswith(start) for each in names) else 0
    return f"{names[0][shared:]} … {names[-1][shared:]}"


def deepest_cause(root: Node) -> tuple[Node, Finding] | None:
    """Return the finding farthest below *root* that fails, and its node.

    None if *root* fails by itself, or not at all.
    """
    best: tuple[int, Node, Finding] | None = None
    for depth, node in _below(root, 0):
        for finding in node.findings:
            if finding.verdict is Verdict.FAILING and (best is None or depth > best[0]):
                best = depth, node, finding
    return None if best is None or best[0] == 0 else best[1:]


def _below(node: Node, depth: int) -> Iterator[tuple[int, Node]]:
    yield depth, node
    for child in node.children:
        if child.counts:
            yield from _below(child, depth + 1)


def _likeness(node: Node) -> object:
    if node.children or not (node.findings or node.verdict is Verdict.OK):
        return node.uid or node.name
    texts = tuple(each.text.replace(node.name, "") for each in node.findings)
    return node.gvk, node.namespace, node.role, node.phase, node.verdict, texts
