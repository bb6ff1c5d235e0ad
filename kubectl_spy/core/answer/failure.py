"""A time in which an object failed, and what of it says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, finding
from kubectl_spy.core.fact import Arg, Fact
from kubectl_spy.core.templates import counts
from kubectl_spy.findings import code_of

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
    quiet: float | None = None  # since when it is well, unless it is a crash loop

    @property
    def since(self) -> float:
        """When it began, by the object if it failed when the recording began."""
        reported = self.finding.since if self.initial else None
        return min(self.began, reported or self.began)

    @property
    def bound(self) -> bool:
        """Whether it began before `since`: it failed then, and nobody says since when.

        That a container ended once more does not say when it first did.
        """
        reported = self.finding.since
        known = reported is not None and reported <= self.began
        return self.initial and not (known and "times" not in self.finding.args)


class Trouble(NamedTuple):
    """A finding that says that an object fails, or that it is stuck."""

    chain: tuple[Entry, ...]  # the object and its controllers
    diagnosis: Diagnosis
    finding: Finding


# Facts that are alike: they differ in nothing but the object, counts and times.

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
    r"(?:time|restart|Pod|Job|node|endpoint|backend|object)s?\b",  # a count
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

    An argument that is printed with a noun is a count, and may differ. So may what is
    used of a quota.
    """
    counted = counts(code_of(fact.code).text)
    shown = (
        (key, _arg(each, name))
        for key, each in fact.args.items()
        if not (key == "used" or (key in counted and isinstance(each, int)))
    )
    return fact.code, *shown


def _arg(arg: Arg, name: str) -> object:
    if isinstance(arg, Fact):
        return in_kind(arg, name)
    if isinstance(arg, tuple):
        return tuple(_arg(each, name) for each in arg)
    return in_general(arg, name) if isinstance(arg, str) else arg
