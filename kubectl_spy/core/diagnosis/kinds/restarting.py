"""Pods in a crash loop, as all they belong to tell of them.

Between two runs such a Pod is ready, and every status above it is as it should be.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import many


def judged(diagnosis: Diagnosis, restarts: Iterable[int]) -> Diagnosis:
    """Return the diagnosis of an object whose Pods have so many *restarts* each.

    0 is of a Pod that is in no crash loop. Only what is fine otherwise changes.
    """
    if diagnosis.verdict is not Verdict.OK:
        return diagnosis
    pods = list(restarts)
    loops = list(filter(None, pods))
    if not loops:
        return diagnosis
    one = len(loops) == 1
    told = f"{len(loops)} of {many(len(pods), 'Pod')}"
    if min(loops) > 1:
        told += f" {'restarts' if one else 'restart'} again and again"
    else:
        told += f" {'was' if one else 'were'} restarted, and may end again"
    finding = Finding("restarts", Verdict.WAITING, told)
    return diagnosis._replace(
        verdict=Verdict.WAITING, findings=(*diagnosis.findings, finding)
    )
