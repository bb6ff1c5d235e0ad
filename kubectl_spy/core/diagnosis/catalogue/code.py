"""What the catalogue says of a code."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Verdict(Enum):
    """How well something is, as far as the API shows."""

    OK = "ok"  # as it should be, or harmless
    WARNING = "warning"  # ready, and somebody should look at it
    WAITING = "waiting"  # in progress, and nothing is known to be wrong
    FAILING = "failing"
    UNKNOWN = "unknown"  # it could not be seen: rights are missing, or a gap hides it
    UNJUDGED = "unjudged"  # it was seen, and no rule says what it means


class Code(NamedTuple):
    """One kind of fact. What a finding says of itself comes first."""

    name: str  # as Kubernetes names reasons: `ImageNotFound`
    text: str  # a template: core/templates.py
    verdict: Verdict = Verdict.FAILING
    remedy: str = ""  # a template; names in it are quoted for a shell
    final: bool = False  # whether it stays so until somebody changes something
    grace: float | None = None
    """Seconds for which a finding that waits, and that has a remedy, is no failure; inf
    if it never is one by itself. None: it waits for nobody."""
    fields: tuple[str, ...] = ()  # the fields of a spec that it is about, in words
    blames: str = ""  # which writes may have caused it: core/causes/categories.py
    sure: bool = True  # whether one such write that it names is certainly the cause
    explains: tuple[str, ...] = ()  # reasons of Events that say the same
    page: str = ""  # where Kubernetes documents it
