"""The logs of containers that failed, in a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs
from kubectl_spy.core.trace.picture import Picture


def current(logs: Iterable[Logged], seen: Inventory) -> dict[tuple[str, str], Logged]:
    """Return the *logs* of last runs, by the Pod's uid and `Finding.about`."""
    return {
        (log.run.uid, run.about): log
        for log in logs
        for run in _runs(log.run.uid, seen)
        if run.of == log.run
    }


def failed_in(picture: Picture, seen: Inventory) -> Iterator[FailedRun]:
    """Yield the failed runs that have a finding in *picture*, from the top."""
    for node in picture.all():
        if node.verdict is not Verdict.OK and node.gvk.kind == "Pod":
            wrong = {each.about for each in node.findings if each.verdict != Verdict.OK}
            yield from (run for run in _runs(node.uid, seen) if run.about in wrong)


def _runs(uid: str, seen: Inventory) -> tuple[FailedRun, ...]:
    entry = seen.entry(uid)
    return seen.once(failed_runs, entry) if entry else ()
