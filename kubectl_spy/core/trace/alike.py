"""Siblings of a tree, and failures, that are alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kubectl_spy.core.diagnosis.catalogue import code_of
from kubectl_spy.core.diagnosis.finding import FINE, Arg, Fact, Finding
from kubectl_spy.core.templates import counts
from kubectl_spy.core.trace.picture import Node

_FEW = 5  # the most siblings that are OK and are shown one by one
_PARTICULAR = (
    r"(?<=kube-api-access)-[a-z0-9]{5}\b",  # the volume of a service account's token
    r'(?<=")-[a-z0-9]{5}(?=")',  # the rest of the name of a Pod that is not created
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",  # a uid
    r"(?<!sha256:)\b[0-9a-f]{64}\b",  # the ID of a container or a sandbox
    r"(?<![\w.:-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])(?::\d+(?=->))?",  # an IP address,
    r"\[[0-9a-f]*:[0-9a-f:]+\](?::\d+(?=->))?",  # with the port of a client
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?",  # a time
    r"\b(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?[mµn]?s\b",  # a duration
    r"\b\d+(?: of \d+)? (?:(?:new|old|other|ready) )?"
    r"(?:time|Pod|Job|node|endpoint|backend|object)s?\b",  # a count
    r"\b(?:\d+/)?\d+(?= (?:nodes? |node\(s\)|Insufficient|Too many pods|"
    r"persistentvolumeclaim|[Pp]reemption|No preemption))",  # in FailedScheduling
    r"(?<=\bused )\S+(?= of )|(?<=used: )\S+(?=, limited: )",  # of a quota
    r"(?<=available: )\d\w*|(?<=was using )\d\w*",  # in Evicted
)
"""What may differ between failures that are alike, besides the names of the objects.

Exit codes, HTTP codes, ports, names and the tags of images are not among it.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/plugin/pkg/admission/serviceaccount/admission.go
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/scheduler/framework/types.go
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/eviction/helpers.go
"""
_VARYING = re.compile("|".join(_PARTICULAR))
_CACHED = 4096  # texts that are not searched again


@lru_cache(_CACHED)  # each picture has most texts of the one before
def in_general(text: str, name: str) -> str:
    """Return *text* without what is particular to the object of that *name*."""
    return _VARYING.sub("#", text.replace(name, ""))


def in_kind(fact: Fact, name: str) -> object:
    """Return a value that is equal for facts that are alike, about objects like *name*.

    An argument that is printed with a noun is a count, and may differ.
    """
    counted = counts(code_of(fact.code).text)
    shown = ((key, fact.args[key]) for key in fact.args if key not in counted)
    return fact.code, *((key, _arg(each, name)) for key, each in shown)


def _arg(arg: Arg, name: str) -> object:
    if isinstance(arg, Fact):
        return in_kind(arg, name)
    if isinstance(arg, tuple):
        return tuple(_arg(each, name) for each in arg)
    return in_general(arg, name) if isinstance(arg, str) else arg


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
