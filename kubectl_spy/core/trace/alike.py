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


def kinds(node: Node) -> tuple[str, ...]:
    """Return for each finding a text that is equal for findings that are alike."""
    return node.kinds or tuple(repr(kind_of(node, each)) for each in node.findings)


def likeness(node: Node) -> str:
    """Return a text that is equal for siblings that are alike."""
    if node.likeness:
        return node.likeness
    if node.children or not (node.findings or node.verdict in FINE):
        return node.uid or node.name
    own = node.gvk, node.namespace, node.role, node.phase, node.verdict
    return repr((own, kinds(node)))


def groups(siblings: Sequence[Node]) -> list[list[Node]]:
    """Return *siblings* in order, those that are alike together.

    They have the same kind and phase, findings that are alike, and nothing below them.
    Up to five that are OK stay alone.
    """
    alike: dict[str, list[Node]] = {}
    for node in siblings:
        alike.setdefault(likeness(node), []).append(node)
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
    names = [each.name for each in group]
    sizes = min(map(len, names)), max(map(len, names))
    first, last = (
        pick(each for each in names if len(each) == size)
        for pick, size in zip((min, max), sizes, strict=True)
    )
    before, dash, end = first.rpartition("-")
    start = "" if end.isdecimal() else before + dash
    # What the first and the last in the alphabet begin with, all begin with.
    alike = min(names).startswith(start) and max(names).startswith(start)
    shared = len(start) if alike else 0
    return f"{first[shared:]} … {last[shared:]}"
