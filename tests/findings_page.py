"""Writes docs/findings.md from findings.txt."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.cli.views.codes import arguments
from kubectl_spy.core.templates import in_full
from kubectl_spy.findings import Code, tables

_TOP = """\
# Findings

A finding is a fact about an object: a code, and its arguments. Every JSON that has
findings (`trace`, `summary` and `spans` with `-o json`, the tools of `mcp`) holds them
as `code` and `args`. In OTLP the code is the attribute `error.type`, and the arguments
are `k8s.finding.args`. The sentence beside them is made from them last, for people: it
may change in any version. `kubectl spy help ImageNotFound` prints what stands here.

**Stability.** A code, once released, keeps its meaning, and its arguments keep their
names. Codes and arguments may be added. A new, renamed or removed code stands in the
[CHANGELOG](../CHANGELOG.md). Programs shall take an unknown code as they take
`Reported`: by its verdict.

What stands in brackets may be absent; of several alternatives, one is printed. `where`
is an argument of any finding about a container: which one, if the Pod has several.
A finding that waits counts as a failure in `summary` after a grace period, which `help
CODE` prints.

An argument in capitals is a name, a number, a message of Kubernetes, a list of these,
or a fact of its own, with code and arguments. Arguments that do not apply are absent.
The verdict is the usual one; a finding may have another, which stands beside it.
"""


def findings_page() -> str:
    """Return the page: a table for each heading of findings.txt."""
    parts = (line for each in tables().items() for line in _table(*each))
    return "\n".join([_TOP, *parts])


def _table(title: str, codes: tuple[Code, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| code | verdict | what it says | arguments |"
    yield "|---|---|---|---|"
    for each in sorted(codes):
        given = ", ".join(f"`{name}`" for name in arguments(each))
        code = f"[{each.name}]({each.page})" if each.page else each.name
        told = in_full(each.text).replace("|", "\\|") or "(its parts)"
        yield f"| {code} | {each.verdict.value} | {told} | {given} |"
    yield ""
