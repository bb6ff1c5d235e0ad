"""What a diagnosis says about one object: facts, not sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_spy.core.fact import Arg, there
from kubectl_spy.core.fact import Fact as Fact
from kubectl_spy.core.fact import fact as fact
from kubectl_spy.core.remedy import Remedy, instruction
from kubectl_spy.findings import Verdict as Verdict
from kubectl_spy.findings import code_of

FINE = (Verdict.OK, Verdict.UNJUDGED)
"""The verdicts on what nobody has to look at."""


class Finding(NamedTuple):
    """One fact about an object: about a container, a condition, a question.

    Times belong into *since*, not into *args*, because a fact that changes is news.
    """

    code: str
    about: str
    """The part of the object: `container/app`, `condition/Progressing`.

    It stays the same when the fact changes.
    """
    args: Mapping[str, Arg]
    verdict: Verdict
    remedy: Remedy
    since: float | None = None  # seconds since the epoch
    final: bool = False  # whether it stays so until somebody changes something

    @property
    def fact(self) -> Fact:
        """The fact, without what it is about."""
        return Fact(self.code, self.args)


def finding(
    code: str,
    about: str,
    *,
    verdict: Verdict | None = None,
    remedy: Remedy | None = None,
    since: float | None = None,
    final: bool | None = None,
    **args: Arg | None,
) -> Finding:
    """Return a finding. What is not given is as findings.txt says.

    Arguments that are None, empty or False are left out.
    """
    of = Fact(code, there(args))
    return stating(of, about, verdict=verdict, remedy=remedy, since=since, final=final)


def advised(of: Fact) -> Remedy:
    """Return what findings.txt advises about a fact, its names quoted for a shell."""
    return instruction(code_of(of.code).remedy, of.args)


def stating(
    of: Fact,
    about: str,
    *,
    verdict: Verdict | None = None,
    remedy: Remedy | None = None,
    since: float | None = None,
    final: bool | None = None,
) -> Finding:
    """Return the finding that a fact is so. What is not given is as for `finding`."""
    known = code_of(of.code)
    return Finding(
        of.code,
        about,
        of.args,
        known.verdict if verdict is None else verdict,
        advised(of) if remedy is None else remedy,
        since,
        known.final if final is None else final,
    )


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
