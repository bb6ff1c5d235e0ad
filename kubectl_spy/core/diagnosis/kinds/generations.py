"""Whether a status is about the spec that is there now.

Until the controller has seen the latest generation, the whole status tells of an older
one, success and failure alike.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.fields import number


def unobserved(
    entry: Entry, summary: str = "", children: tuple[Child, ...] = ()
) -> Diagnosis | None:
    """Return the diagnosis of an object whose status is behind, or None."""
    generation = number(entry.document, "metadata", "generation")
    observed = number(entry.document, "status", "observedGeneration")
    if observed >= generation and observed > 0:
        return None
    if observed:
        text = f"the controller has not seen generation {generation} yet"
    else:
        text = "the controller has not seen it yet"
    return Diagnosis(
        phase="Waiting",
        verdict=Verdict.WAITING,
        summary=summary,
        findings=(Finding("generation", Verdict.WAITING, text),),
        children=children,
    )
