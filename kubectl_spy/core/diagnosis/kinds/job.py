"""Jobs: how many Pods succeeded and failed, why, and what ends the Job.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.kinds.job_outcome import (
    ended_pods,
    moment_of_end,
    outcome,
    shortened,
)
from kubectl_spy.core.diagnosis.kinds.pod_states import (
    failed_container,
    has_failed,
    is_ending,
    why_failed,
)
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.workloads import (
    judged,
    lost_pods,
    unseen_by_controller,
    unseen_kinds,
)
from kubectl_spy.core.diagnosis.makers import at_its_source
from kubectl_spy.core.diagnosis.wording import clock_time
from kubectl_spy.core.fields import (
    condition,
    flag,
    mapping,
    moment,
    number,
    text,
)
from kubectl_spy.core.remedy import NO_REMEDY, RESUME, Remedy, advice, kubectl

_INDEX = "batch.kubernetes.io/job-completion-index"
_CAUSES = 2  # different causes that one line names
_PHASES = {  # by condition, the first that is true
    "Failed": "Failed",
    "Complete": "Complete",
    "FailureTarget": "Failing",
    "SuccessCriteriaMet": "Completing",
}


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the progress of the Job, or how it ended."""
    pods = inventory.owned(entry.uid, "Pod")
    phase, since = phase_of(entry)
    summary = _summary(entry)
    failed = _failures(entry, pods, inventory.gone(entry.uid, "Pod"))
    failing = failed is not None and failed.verdict is Verdict.FAILING
    children = _children(entry, pods, failures_count=failing)
    early = terminating(entry, inventory, summary, children)
    if early is not None:
        return early
    ended = phase in ("Complete", "Failed")
    refused = None
    if not ended and _lacks_pods(entry):
        refused = refused_creation(entry, inventory, "Pods")
    candidates = (
        outcome(entry),
        refused,
        failed,
        _indexes(entry),
        _foreign(entry),
        *_limits(entry, ended=ended),
        None if ended else _progress(entry, phase, inventory),
        lost_pods(entry, inventory, complete=phase == "Complete"),
        *unseen_kinds(entry, inventory, "Pod"),
    )
    verdict, findings = judged(candidates, complete=phase == "Complete")
    return Diagnosis(phase, verdict, summary, findings, children, since, final=ended)


def phase_of(entry: Entry) -> tuple[str, float | None]:
    """Return the phase of the Job, and when it began if the Job says so."""
    for kind, phase in _PHASES.items():
        found = condition(entry.document, kind)
        if found.get("status") == "True":
            return phase, moment(found, "lastTransitionTime")
    found = condition(entry.document, "Suspended")
    known = found.get("status") == "True"
    if flag(entry.document, "spec", "suspend"):
        return "Suspended", moment(found, "lastTransitionTime") if known else None
    status = mapping(entry.document, "status")
    began = moment(status, "startTime")
    if known or "startTime" not in status:  # it may be resumed, and not seen yet
        return "Waiting", None
    if number(status, "active"):
        return "Running", began
    if number(entry.document, "spec", "parallelism", default=1) == 0:
        return "Paused", None
    return ("Retrying" if ended_pods(entry, "failed") else "Starting"), None


def _lacks_pods(entry: Entry) -> bool:
    wanted = number(entry.document, "spec", "parallelism", default=1)
    if type(completions := _completions(entry)) is int:
        wanted = min(wanted, completions - ended_pods(entry, "succeeded"))
    return number(entry.document, "status", "active") < wanted


def _completions(entry: Entry) -> int | None:
    """Return how many Pods must succeed; None for a work queue.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#parallel-jobs
    """
    spec = mapping(entry.document, "spec")
    if "completions" not in spec:
        return None if "parallelism" in spec else 1
    return number(spec, "completions", default=1)


def _summary(entry: Entry) -> str:
    completions = _completions(entry)
    of = "" if completions is None else f" of {completions}"
    counts = {
        "active": number(entry.document, "status", "active"),
        "failed": ended_pods(entry, "failed"),
        "terminating": number(entry.document, "status", "terminating"),
    }
    parts = [f"{ended_pods(entry, 'succeeded')}{of} succeeded"]
    parts += [f"{count} {name}" for name, count in counts.items() if count]
    return ", ".join(parts)


def _indexes(entry: Entry) -> Finding | None:
    """Return which indexes of an Indexed Job succeeded, and which failed.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index
    """
    status = mapping(entry.document, "status")
    done, failed = text(status, "completedIndexes"), text(status, "failedIndexes")
    if not done and not failed:
        return None
    verdict = Verdict.FAILING if failed else Verdict.OK
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
    if failed and mapping(entry.document, "spec", "successPolicy"):
        verdict = Verdict.WAITING  # the others may be enough
    return finding(
        "IndexesEnded",
        "indexes",
        done=shortened(done),
        failed=shortened(failed),
        verdict=verdict,
        final=verdict is Verdict.FAILING,
    )


def _foreign(entry: Entry) -> Finding | None:
    manager = text(entry.document, "spec", "managedBy")
    if manager in ("", "kubernetes.io/job-controller"):
        return None
    return finding("ManagedElsewhere", "managedBy", manager=manager)


def _children(
    entry: Entry, pods: list[Entry], *, failures_count: bool
) -> tuple[Child, ...]:
    """Return the Pods by index and age.

    A Pod that failed or is being deleted counts only once the Job has given up.
    """
    found = []
    for pod in pods:
        index = text(mapping(pod.document, "metadata", "annotations"), _INDEX)
        known = index.isascii() and index.isdigit() and len(index) < 12
        role = f"index {index}" if known else ""
        counts = failures_count or not (has_failed(pod) or is_ending(pod))
        found.append((int(index) if known else -1, Child(pod.uid, role, counts)))
    return tuple(child for _, child in sorted(found, key=lambda each: each[0]))


def _failures(entry: Entry, pods: list[Entry], gone: list[Entry]) -> Finding | None:
    """Return how many Pods failed and why, and how many more may.

    It is FAILING once the Job has given up. The controller then deletes the Pods that
    still run: *gone* are the deleted Pods.
    """
    ended = [pod for pod in pods if has_failed(pod)]
    count = max(ended_pods(entry, "failed"), len(ended))
    phase, _ = phase_of(entry)
    if not count or phase == "Complete":
        return None
    causes = why_failed(ended or gone)
    over = phase in ("Failed", "Failing")
    policy = text(entry.document, "spec", "template", "spec", "restartPolicy")
    lost = over and not ended and policy == "OnFailure"
    of = fact(
        "PodsFailed",
        pods=count,
        causes=causes[:_CAUSES],
        more=len(causes) > _CAUSES,
        lost=lost and not causes,
        **({} if over else _patience(entry)),
    )
    keep = advice("restartPolicy Never keeps Pods that failed, and their logs")
    return stating(
        of,
        "failures",
        verdict=Verdict.FAILING if over else Verdict.WAITING,
        remedy=keep if lost else _logs(ended, entry),
    )


def _patience(entry: Entry) -> dict[str, int | bool]:
    """Return how many more Pods may fail, as arguments."""
    limit = mapping(entry.document, "spec").get("backoffLimit")
    often = mapping(entry.document, "spec").get("backoffLimitPerIndex")
    if type(often) is int:
        few = "never" if often == 0 else "once"
        return {"often": often} if often > 1 else {few: True}
    return {"most": limit + 1, "limit": limit} if type(limit) is int else {}


def _limits(entry: Entry, *, ended: bool) -> Iterator[Finding]:
    """Yield its deadline, or when it is cleaned up after its end."""
    spec, status = mapping(entry.document, "spec"), mapping(entry.document, "status")
    if ended:
        lifetime = spec.get("ttlSecondsAfterFinished")
        end = moment_of_end(entry)
        if type(lifetime) is int and end is not None:
            at = clock_time(end + min(lifetime, 2**40))
            about = "ttlSecondsAfterFinished"
            yield finding("JobExpires", about, at=at, seconds=lifetime)
        return
    deadline, began = spec.get("activeDeadlineSeconds"), moment(status, "startTime")
    if type(deadline) is int and began is not None:
        at = clock_time(began + min(deadline, 2**40))
        about = "activeDeadlineSeconds"
        yield finding("JobDeadline", about, at=at, seconds=deadline)


def _progress(entry: Entry, phase: str, inventory: Inventory) -> Finding | None:
    about = "progress"
    if phase == "Suspended":
        resume = kubectl(RESUME, "job", entry.name, namespace=entry.namespace)
        return finding("JobSuspended", about, remedy=at_its_source(resume, entry))
    if phase == "Waiting":
        created = moment(entry.document, "metadata", "creationTimestamp")
        began = None if _foreign(entry) else entry.since(created)
        return unseen_by_controller(None, began, inventory)
    if phase == "Paused":
        edit = kubectl("edit job/{}", entry.name, namespace=entry.namespace)
        return finding("JobPaused", about, remedy=at_its_source(edit, entry))
    # 10 s, 20 s, 40 s ... up to six minutes.
    return finding("JobRetries", about) if phase == "Retrying" else None


def _logs(failed: list[Entry], entry: Entry) -> Remedy:
    if not failed:
        return NO_REMEDY
    pod = failed[-1]
    names = [pod.name, *filter(None, [failed_container(pod)])]
    command = "logs {}" + " -c {}" * len(names[1:])
    return kubectl(command, *names, namespace=entry.namespace)
