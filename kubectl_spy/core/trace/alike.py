"""Siblings of a tree that are alike, and the deepest cause of a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.trace.picture import Node

_FEW = 5  # the most siblings that are OK and are shown one by one
_TOKEN_VOLUME = re.compile(r"(?<=kube-api-access)-[a-z0-9]{5}\b")
"""Each Pod has its own name for the volume of its service account's token.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/plugin/pkg/admission/serviceaccount/admission.go
"""


def nameless(text: str, name: str) -> str:
    """Return *text* without the *name* of its object, and that of a token's volume."""
    return _TOKEN_VOLUME.sub("", text.replace(name, ""))


def groups(siblings: Sequence[Node]) -> list[list[Node]]:
    """Return *siblings* in order, those that are alike together.

    They have the same kind, phase and findings, apart from their names, and nothing
    below them. Up to five that are OK stay alone.
    """
    alike: dict[object, list[Node]] = {}
    for node in siblings:
        alike.setdefault(_likeness(node), []).append(node)
    found: list[list[Node]] = []
    for group in alike.values():
        alone = group[0].verdict is Verdict.OK and len(group) <= _FEW
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


def deepest_cause(root: Node) -> tuple[Node, Finding] | None:
    """Return the deepest finding that fails below *root*, and its node, or None.

    If *root* fails or may fail again, and nothing below it fails, it is the deepest one
    that waits and has a remedy. None if *root* says the same.
    """
    found = [
        (finding.verdict is Verdict.FAILING, depth, node, finding)
        for depth, node in _below(root, 0)
        for finding in node.findings
        if depth and _explains(root, finding)
    ]
    if not found:
        return None
    _, _, node, finding = max(found, key=lambda each: each[:2])
    said = {each.text for each in root.findings}
    return None if finding.text in said else (node, finding)


def _explains(root: Node, finding: Finding) -> bool:
    if finding.verdict is Verdict.FAILING:
        return True
    fails = root.verdict is Verdict.FAILING or any(times for _, times in root.pods)
    return fails and finding.verdict is Verdict.WAITING and bool(finding.remedy)


def _below(node: Node, depth: int) -> Iterator[tuple[int, Node]]:
    yield depth, node
    for child in node.children:
        if child.counts:
            yield from _below(child, depth + 1)


def _likeness(node: Node) -> object:
    if node.children or not (node.findings or node.verdict is Verdict.OK):
        return node.uid or node.name
    texts = tuple(nameless(each.text, node.name) for each in node.findings)
    return node.gvk, node.namespace, node.role, node.phase, node.verdict, texts
