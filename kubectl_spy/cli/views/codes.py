"""`help ImageNotFound`: what a finding means."""

from __future__ import annotations

from math import inf
from textwrap import wrap

from kubectl_spy.cli.run.view import screen_width
from kubectl_spy.core.templates import in_full, names
from kubectl_spy.core.wording import did_you_mean
from kubectl_spy.errors import UsageError
from kubectl_spy.findings import Code, codes
from kubectl_spy.sinks.terminal import Terminal

_INDENT = "    "
_WIDTH = 100  # columns, or those of a terminal that has fewer


def print_code(name: str, terminal: Terminal) -> None:
    """Print what findings.txt says of the code *name*.

    Raises:
        UsageError: there is no such code.
    """
    known = {each.lower(): each for each in codes()}
    found = known.get(name.lower())
    if found is None:
        near = did_you_mean(name.lower(), known)
        raise UsageError(
            f"no finding has the code {name}",
            near or "trace -o json and docs/findings.md have the codes",
        )
    width = min(_WIDTH, screen_width() or _WIDTH)
    for line in _lines(codes()[found]):
        wrapped = wrap(line, width, subsequent_indent=_INDENT, break_on_hyphens=False)
        terminal.write("".join(f"{each}\n" for each in wrapped))


def arguments(code: Code) -> list[str]:
    """Return the names of the arguments of *code*, the printed ones first."""
    return [*dict.fromkeys((*names(code.text), *names(code.remedy), *code.also))]


def _waits(grace: float | None) -> str:
    """Return after how long `summary` counts what waits as a failure."""
    if grace is None or grace == inf:
        return ""
    after = f"after {grace:.0f} s" if grace else "at once"
    return f"summary counts it as a failure {after}"


def _lines(code: Code) -> list[str]:
    rows = [
        ("says", in_full(code.text)),
        ("usually", code.verdict.value + (", for good" if code.final else "")),
        ("if it waits", _waits(code.grace)),
        ("do", in_full(code.remedy)),
        ("arguments", ", ".join(arguments(code))),
        ("explains the Events", ", ".join(code.explains)),
        ("see", code.page),
    ]
    return [code.name, *(f"  {what}: {value}" for what, value in rows if value)]
