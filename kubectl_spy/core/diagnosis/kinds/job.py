"""Jobs: how many Pods have succeeded, how many may still fail, and why those did.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.completion import judged
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.job_end import (
    ended_pods,
    failures,
    limits,
    outcome,
    shortened,
    what_is_left_to_do,
)
from kubectl_spy.core.diagnosis.kinds.lost_pods import lost_pods
from kubectl_spy.core.diagnosis.kinds.pod_states import has_failed, is_ending
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.visibility import unseen_kinds
from kubectl_spy.core.fields import condition, flag, mapping, moment, number, text

_INDEX = "batch.kubernetes.io/job-completion-index"


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how far the Job is, or how it ended."""
    pods = seen.owned(entry.uid, "Pod")
    phase, since = phase_of(entry)
    failed = failures(entry, pods, seen.gone(entry.uid, "Pod"))
    failing = failed is not None and failed.verdict is Verdict.FAILING
    children = _children(entry, pods, failures_count=failing)
    early = terminating(entry, seen, _summary(entry), children)
    if early is not None:
        return early
    ended = phase in ("Complete", "Failed")
    refused = None
    if not ended and _lacks_pods(entry):
        refused = refused_creation(entry, seen, "Pods")
    candidates = (
        outcome(entry),
        refused,
        failed,
        _indexes(entry),
        _foreign(entry),
        *limits(entry, ended=ended),
        None if ended else what_is_left_to_do(entry, phase),
        lost_pods(entry, seen, complete=phase == "Complete"),
        *unseen_kinds(entry, seen, "Pod"),
    )
    verdict, findings = judged(candidates, complete=phase == "Complete")
    return Diagnosis(
        phase=phase,
        verdict=verdict,
        summary=_summary(entry),
        findings=findings,
        children=children,
        since=since,
        final=ended,
    )


def phase_of(entry: Entry) -> tuple[str, float | None]:
    """Return where the Job is in its life, and since when if it says so."""
    for kind, phase in (
        ("Failed", "Failed"),
        ("Complete", "Complete"),
        ("FailureTarget", "Failing"),
        ("SuccessCriteriaMet", "Completing"),
        ("Suspended", "Suspended"),
    ):
        found = condition(entry.document, kind)
        if found.get("status") == "True":
            return phase, moment(found, "lastTransitionTime")
    if flag(entry.document, "spec", "suspend"):
        return "Suspended", None
    status = mapping(entry.document, "status")
    began = moment(status, "startTime")
    if "startTime" not in status:
        return "Waiting", None
    if number(status, "active"):
        return "Running", began
    if number(entry.document, "spec", "parallelism", default=1) == 0:
        return "Paused", None
    return ("Retrying" if ended_pods(entry, "failed") else "Starting"), None


def _lacks_pods(entry: Entry) -> bool:
    status = mapping(entry.document, "status")
    wanted = number(entry.document, "spec", "parallelism", default=1)
    if type(completions := _completions(entry)) is int:
        wanted = min(wanted, completions - ended_pods(entry, "succeeded"))
    return number(status, "active") < wanted


def _completions(entry: Entry) -> int | None:
    """Return how many Pods must succeed; None if the Pods themselves know.

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
    """Return which indexes of an Indexed Job are through, and which failed.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index
    """
    status = mapping(entry.document, "status")
    done, failed = text(status, "completedIndexes"), text(status, "failedIndexes")
    if not done and not failed:
        return None
    parts = [f"indexes done: {shortened(done)}"] if done else []
    parts += [f"indexes failed for good: {shortened(failed)}"] if failed else []
    verdict = Verdict.FAILING if failed else Verdict.OK
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
    spared = bool(mapping(entry.document, "spec", "successPolicy"))
    if failed and spared:
        verdict = Verdict.WAITING  # the others may be enough
    final = bool(failed) and not spared
    return Finding("indexes", verdict, "; ".join(parts), final=final)


def _foreign(entry: Entry) -> Finding | None:
    manager = text(entry.document, "spec", "managedBy")
    if manager in ("", "kubernetes.io/job-controller"):
        return None
    return Finding("managedBy", Verdict.OK, f"managed by {manager}, not by Kubernetes")


def _children(
    entry: Entry, pods: list[Entry], *, failures_count: bool
) -> tuple[Child, ...]:
    """Return the Pods by index, if they have any, and age.

    A Pod that failed, or is being deleted, is no failure of the Job as long as it has
    not given up.
    """
    found = []
    for pod in pods:
        index = text(mapping(pod.document, "metadata", "annotations"), _INDEX)
        known = index.isascii() and index.isdigit() and len(index) < 12
        role = f"index {index}" if known else ""
        counts = failures_count or not (has_failed(pod) or is_ending(pod))
        found.append((int(index) if known else -1, Child(pod.uid, role, counts)))
    return tuple(child for _, child in sorted(found, key=lambda each: each[0]))
