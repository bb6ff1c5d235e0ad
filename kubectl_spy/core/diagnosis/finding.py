"""What a diagnosis says about one object."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.remedy import NO_REMEDY, Remedy


class Verdict(Enum):
    """How well something is, as far as the API shows."""

    OK = "ok"  # as it should be, or harmless
    WARNING = "warning"  # ready, and somebody should look at it
    WAITING = "waiting"  # in progress, and nothing is known to be wrong
    FAILING = "failing"
    UNKNOWN = "unknown"  # it could not be seen: rights are missing, or a gap hides it
    UNJUDGED = "unjudged"  # it was seen, and no rule says what it means


FINE = (Verdict.OK, Verdict.UNJUDGED)
"""The verdicts on what nobody has to look at."""


class Finding(NamedTuple):
    """One statement about an object: about a container, a condition, a question.

    Times belong into *since*, not into *text*, because a text that changes is news.
    """

    about: str
    """The part of the object: `container/app`, `condition/Progressing`.

    It stays the same when the text changes.
    """
    verdict: Verdict
    text: str  # What is so, and why, in one line. It is not escaped yet.
    remedy: Remedy = NO_REMEDY
    since: float | None = None  # seconds since the epoch
    final: bool = False  # whether it stays so until somebody changes something


class Child(NamedTuple):
    """An object below another one in the tree."""

    uid: str
    role: str = ""  # to its parent: `revision 2, current`, `ordinal 0`, `node-1`
    counts: bool = True
    """Whether its failure is its parent's, too. That of an old revision is not."""


class Diagnosis(NamedTuple):
    """The diagnosis of one object."""

    phase: str  # one word, as in the API or in kubectl: Running, Complete
    verdict: Verdict
    summary: str = ""  # numbers, without times: `2 of 3 available, 1 updated`
    findings: tuple[Finding, ...] = ()
    children: tuple[Child, ...] | None = None  # in order; None is all that it owns
    since: float | None = None  # when the phase began, if the object says so
    final: bool = False  # whether nothing more happens by itself: a complete Job
    restarts: int = 0  # of a container, for a Pod that may be in a crash loop
