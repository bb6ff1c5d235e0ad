"""Findings in words. Nothing reads these words again."""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.events import settled
from kubectl_spy.core.diagnosis.finding import FINE, Fact, Finding
from kubectl_spy.core.templates import fill
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.wording import one_line
from kubectl_spy.findings import code_of

_WIDTH = 500  # the most characters of a finding


def text(finding: Finding | Fact) -> str:
    """Return what is so, and why, in one line. It is not inert yet.

    >>> text(Fact("ObjectMissing", {"kind": "Secret", "name": "tls"}))
    'Secret tls does not exist'
    """
    return one_line(settled(_said(finding)), _WIDTH)


def labelled(label: str, words: str) -> str:
    """Return *words* after a label, which may end with the reason that they begin with.

    >>> labelled("2 Pods CrashLoopBackOff", "CrashLoopBackOff: exited with 3")
    '2 Pods CrashLoopBackOff: exited with 3'
    >>> labelled("pod/web Error", "exited with 3")
    'pod/web Error: exited with 3'
    """
    rest = words.removeprefix(re.split("[ .]", label)[-1])
    again = rest != words and not rest[:1].isalnum()
    return f"{label}{rest}" if again else f"{label}: {words}"


def explained(node: Node) -> frozenset[str]:
    """Return the reasons of Events that say what the findings of *node* say."""
    return frozenset(
        reason
        for finding in node.findings
        if finding.verdict not in FINE
        for fact in finding.fact.all()
        for reason in code_of(fact.code).explains
    )


def error_text(error: Fact | str) -> str:
    """Return what went wrong in a span: an Event's message stays as it is."""
    return error if isinstance(error, str) else text(error)


def _said(finding: object) -> str:
    if not isinstance(finding, Finding | Fact):
        return str(finding)
    words = fill(code_of(finding.code).text, finding.args, _said)
    where = finding.args.get("where")
    return f"{_said(where)}: {words}" if where else words
