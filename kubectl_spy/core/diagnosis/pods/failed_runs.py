"""Which containers failed, and which of their logs to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from kubectl_spy.core.changes.record import ContainerRun
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.diagnosis.pods import restarts
from kubectl_spy.core.diagnosis.pods.exits import NEVER_STARTED
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.fields import number, text
from kubectl_spy.core.objects import JSON

_MOST = 10  # the most logs to read at a time, each of another kind of failure


class FailedRun(NamedTuple):
    """A failed run of a container, which may have left a log."""

    of: ContainerRun
    about: str  # the container, as in `Finding.about`
    previous: bool  # whether a new run follows, so that the log is the previous one
    kind: tuple[str, str, int, str]
    """Equal for runs that failed alike: controller, container, exit code, reason."""


def failed_runs(entry: Entry, seen: Inventory) -> tuple[FailedRun, ...]:
    """Return the last run of each container of a Pod, if that run failed.

    If a new run follows, the failed one is left out until the new one waits or runs.
    Before that, the current log may belong to either.
    """
    pod = SeenPod.of(entry, seen)
    # The containers of a Pod that is being deleted were asked to stop.
    return () if pod.deleting else tuple(_runs(pod))


def to_read(runs: Iterable[FailedRun], known: Collection[str]) -> list[FailedRun]:
    """Return the runs whose logs to read now, one for each kind of failure.

    *known* are the container IDs whose logs were requested already.
    """
    first: dict[object, FailedRun] = {}
    for run in runs:
        first.setdefault(run.kind, run)
    some = islice(first.values(), _MOST)
    return [run for run in some if run.of.container_id not in known]


def _runs(pod: SeenPod) -> Iterator[FailedRun]:
    for container in pod.containers:
        ended = container.terminated
        previous = ended is None
        if ended is None:
            ended = container.terminated_before
        elif restarts.will_restart(pod, container, number(ended, "exitCode")):
            continue
        if ended is None or not _has_failed(pod, container, ended):
            continue
        entry, name = pod.entry, container.name
        owner = text(controller_of(pod.document), "uid") or entry.uid
        kind = owner, name, number(ended, "exitCode"), text(ended, "reason")
        run_id = text(ended, "containerID")
        run = ContainerRun(entry.uid, pod.namespace, pod.name, name, run_id)
        yield FailedRun(run, container.about, previous, kind)


def _has_failed(pod: SeenPod, container: Container, ended: dict[str, JSON]) -> bool:
    """Return whether that run failed lately and may have left a log.

    The kubelet finds a log by the ID in that state:
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kubelet_pods.go
    """
    reason = text(ended, "reason")
    if not text(ended, "containerID"):
        return False
    if reason in NEVER_STARTED or reason == "ContainerStatusUnknown":
        return False
    if container.waiting is not None:
        return text(container.waiting, "reason") == restarts.BACK_OFF
    if number(ended, "exitCode") == 0:
        return False
    begun = container.started
    return begun is None or pod.entry.time - begun < restarts.FORGOTTEN
