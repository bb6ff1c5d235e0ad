"""What the rules of a kind find out about one object."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.remedy import NO_REMEDY, Remedy


class Verdict(Enum):
    """How something is, as far as the API shows."""

    OK = "ok"
    """As it should be, or of no harm."""
    WAITING = "waiting"
    """On its way, and nothing is known to be wrong."""
    FAILING = "failing"
    UNKNOWN = "unknown"
    """It cannot be told: rights are missing, or the API does not say."""


class Finding(NamedTuple):
    """One thing that is to be known of an object: a container, a condition, a question.

    Times belong into *since*, never into *text*: a text that changes is something that
    happens.
    """

    about: str
    """What of the object, stable while the text changes: `container/app`,
    `condition/Progressing`."""
    verdict: Verdict
    text: str
    """What is the case and why, one line, nothing escaped yet."""
    remedy: Remedy = NO_REMEDY
    since: float | None = None
    """Seconds since the epoch."""
    final: bool = False
    """It cannot get better until somebody changes something."""


class Child(NamedTuple):
    """An object that stands under another one in the tree."""

    uid: str
    role: str = ""
    """What it is to the other: `revision 2, current`, `ordinal 0`, `node-1`."""
    counts: bool = True
    """Whether its failing is the other's: that of an old revision is not."""


class Diagnosis(NamedTuple):
    """What a kind says of one of its objects."""

    phase: str
    """One word, as the API has it or as kubectl would print it: Running, Complete."""
    verdict: Verdict
    summary: str = ""
    """`2 of 3 available, 1 updated`: numbers that matter, no times."""
    findings: tuple[Finding, ...] = ()
    children: tuple[Child, ...] | None = None
    """In the order to show them; None is all that it owns."""
    since: float | None = None
    """When the phase began, if the object itself says so."""
    final: bool = False
    """Nothing more will happen to it by itself: a Job that is complete."""
    restarts: int = 0
    """Of a Pod that may be in a crash loop, how often a container was restarted."""
