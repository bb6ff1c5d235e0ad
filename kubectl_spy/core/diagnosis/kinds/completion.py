"""Whether a workload is what its spec asks for: `core.readiness` is the judge.

So a trace calls no object fine, or failing, of which `--for ready` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.readiness.readiness import State, readiness


def is_complete(entry: Entry) -> bool:
    """Tell whether the status says that there is nothing left to do."""
    found = readiness(entry.document, has_status=entry.has_status)
    return found.state is State.CURRENT


def judged(
    candidates: Iterable[Finding | None], *, complete: bool
) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return the verdict on an object, and the findings that there are.

    Of what is complete nothing fails: what its controller still cannot do, as to delete
    a Pod too many, is told and does no harm.
    """
    findings = tuple(each for each in candidates if each is not None)
    if complete:
        return Verdict.OK, tuple(map(_harmless, findings))
    failing = any(each.verdict is Verdict.FAILING for each in findings)
    return Verdict.FAILING if failing else Verdict.WAITING, findings


def _harmless(finding: Finding) -> Finding:
    if finding.verdict is not Verdict.FAILING:
        return finding
    return finding._replace(verdict=Verdict.WAITING, final=False)
