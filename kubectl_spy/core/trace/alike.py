"""Siblings of a tree, and failures, that are alike."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.answer.likeness import in_general, in_kind
from kubectl_spy.core.diagnosis.finding import FINE, Finding
from kubectl_spy.core.trace.picture import Node

_FEW = 5  # the most siblings that are OK and are shown one by one


def kind_of(node: Node, finding: Finding | None) -> object:
    """Return a value that is equal for failures that are alike."""
    if finding is None:
        return node.gvk.kind, node.phase
    about = in_general(finding.about, node.name)
    return node.gvk.kind, about, in_kind(finding.fact, node.name)


def groups(siblings: Sequence[Node]) -> list[list[Node]]:
    """Return *siblings* in order, those that are alike together.

    They have the same kind and phase, findings that are alike, and nothing below them.
    Up to five that are OK stay alone.
    """
    alike: dict[object, list[Node]] = {}
    for node in siblings:
        alike.setdefault(_likeness(node), []).append(node)
    found: list[list[Node]] = []
    for group in alike.values():
        alone = group[0].verdict in FINE and len(group) <= _FEW
        found += [[each] for each in group] if alone else [group]
    return found


def names_of(group: Sequence[Node]) -> str:
    """Return the first and the last name of a *group*, without their common beginning.

    Names that end in a number stay whole.

    >>> from types import SimpleNamespace as N
    >>> names_of([N(name="api-67bb-zw800"), N(name="api-67bb-zw814")])
    'zw800 … zw814'
    """
    names = sorted((each.name for each in group), key=lambda each: (len(each), each))
    before, dash, last = names[0].rpartition("-")
    start = "" if last.isdecimal() else before + dash
    shared = len(start) if all(each.startswith(start) for each in names) else 0
    return f"{names[0][shared:]} … {names[-1][shared:]}"


def _likeness(node: Node) -> object:
    if node.children or not (node.findings or node.verdict in FINE):
        return node.uid or node.name
    kinds = tuple(kind_of(node, each) for each in node.findings)
    return node.gvk, node.namespace, node.role, node.phase, node.verdict, kinds
