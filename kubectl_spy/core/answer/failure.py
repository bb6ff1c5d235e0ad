"""A time in which an object failed, and what of it says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis, Fact, Finding, finding

Likeness = tuple[str, str, object]
"""The kind of what fails, the part of it, and what is so."""
_NOTHING = finding("Failed", "", summary="")


@dataclass(slots=True)
class Failure:
    """A time in which an object failed, or something below it."""

    top: Entry
    began: float
    before: int  # the number of writes before it began
    initial: bool  # whether it failed when the recording began
    gap: bool  # whether a gap lies before it
    until: float | None = None
    of: Entry | None = None  # the object that fails; of several alike, one
    phase: str = ""
    finding: Finding = _NOTHING
    likeness: Likeness = ("", "", "")
    pods: int = 0  # the most objects that failed alike at a time
    by: list[Suspect] = field(default_factory=list)
    why_not: Fact | None = None  # why it cannot be told what caused it
    log: Logged | None = None  # the end of the log of a container that fails so
    meant: bool = False  # whether somebody wants it so: a suspender, an autoscaler
    times: int = 1  # how often it failed alike, one after the other
    quiet: float | None = None  # since when nothing fails, unless it is a crash loop

    @property
    def since(self) -> float:
        """When it began, by the object if it failed when the recording began."""
        reported = self.finding.since if self.initial else None
        return min(self.began, reported or self.began)


class Trouble(NamedTuple):
    """A finding that says that an object fails, or that it is stuck."""

    chain: tuple[Entry, ...]  # the object and its controllers
    diagnosis: Diagnosis
    finding: Finding
