"""What ends a Job: success, the limits that it has, and Pods that fail.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import clock_time, many
from kubectl_spy.core.diagnosis.kinds.pod_states import (
    failed_container,
    has_failed,
    why_failed,
)
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, RESUME, Remedy, advice, kubectl

_INDEXES = 60
"""Characters of a list of indexes that one line shows."""


def ended_pods(entry: Entry, how: str) -> int:
    """Return how many Pods of the Job `succeeded` or `failed`.

    Those too that the controller has still to add to its count.
    https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-tracking-with-finalizers
    """
    status = mapping(entry.document, "status")
    uncounted = mapping(status, "uncountedTerminatedPods").get(how)
    added = len(uncounted) if isinstance(uncounted, list) else 0
    return number(status, how) + added


def outcome(entry: Entry) -> Finding | None:
    """Return how the Job ended, or is about to end, and why."""
    for kind in ("Failed", "FailureTarget"):
        failed = condition(entry.document, kind)
        if failed.get("status") == "True":
            return Finding(
                "condition/Failed",  # which the other one announces
                Verdict.FAILING,
                _why_failed(entry, failed),
                remedy=_again(entry),
                since=moment(failed, "lastTransitionTime"),
                final=True,
            )
    for kind, verdict in (
        ("Complete", Verdict.OK),
        ("SuccessCriteriaMet", Verdict.WAITING),
    ):
        met = condition(entry.document, kind)
        if met.get("status") == "True":
            rest = "" if kind == "Complete" else "; its last Pods are being ended"
            since = moment(met, "lastTransitionTime")
            told = _why_met(met) + rest
            return Finding("condition/Complete", verdict, told, since=since)
    return None


def failures(entry: Entry, pods: list[Entry], gone: list[Entry]) -> Finding | None:
    """Return how many Pods failed and why, and how many more may.

    It counts as failing when the Job has given up: before, the next may succeed. Then
    the controller deletes the Pods that still run: *gone* are those that were seen.
    """
    ended = [pod for pod in pods if has_failed(pod)]
    count = max(ended_pods(entry, "failed"), len(ended))
    if not count or condition(entry.document, "Complete").get("status") == "True":
        return None
    causes = why_failed(ended or gone)
    text_ = f"{many(count, 'Pod')} failed" + (f": {causes}" if causes else "")
    over = any(
        condition(entry.document, kind).get("status") == "True"
        for kind in ("Failed", "FailureTarget")
    )
    policy = text(entry.document, "spec", "template", "spec", "restartPolicy")
    lost = over and not ended and policy == "OnFailure"
    if lost and not causes:
        text_ += "; it was deleted with its exit code and its logs"
    limit = mapping(entry.document, "spec").get("backoffLimit")
    per_index = mapping(entry.document, "spec").get("backoffLimitPerIndex")
    if not over and type(per_index) is int:
        text_ += f"; each index may fail {_times(per_index)} and be tried again"
    elif not over and type(limit) is int:
        most = many(limit + 1, "failure")
        text_ += f"; it gives up after {most} (backoffLimit {limit})"
    return Finding(
        "failures",
        Verdict.FAILING if over else Verdict.WAITING,
        text_,
        remedy=advice("restartPolicy Never keeps Pods that failed, and their logs")
        if lost
        else _logs(ended, entry),
    )


def limits(entry: Entry, *, ended: bool) -> Iterator[Finding]:
    """Yield until when it may run, or when it is cleaned up after its end."""
    spec, status = mapping(entry.document, "spec"), mapping(entry.document, "status")
    if ended:
        lifetime = spec.get("ttlSecondsAfterFinished")
        end = _moment_of_end(entry)
        if type(lifetime) is int and end is not None:
            at = clock_time(end + min(lifetime, 2**40))
            text_ = f"is deleted at {at} (ttlSecondsAfterFinished {lifetime})"
            yield Finding("ttlSecondsAfterFinished", Verdict.OK, text_)
        return
    deadline, began = spec.get("activeDeadlineSeconds"), moment(status, "startTime")
    if type(deadline) is int and began is not None:
        at = clock_time(began + min(deadline, 2**40))
        text_ = f"fails if it runs until {at} (activeDeadlineSeconds {deadline})"
        yield Finding("activeDeadlineSeconds", Verdict.OK, text_)


def what_is_left_to_do(entry: Entry, phase: str) -> Finding | None:
    """Return what the Job waits for."""
    about, waiting = "progress", Verdict.WAITING
    if phase == "Suspended":
        return Finding(
            about,
            waiting,
            "suspended: no Pods are created until it is resumed",
            remedy=kubectl(RESUME, "job", entry.name, namespace=entry.namespace),
        )
    if phase == "Waiting":
        return Finding(about, waiting, "the controller has not seen it yet")
    if phase == "Paused":
        edit = kubectl("edit job/{}", entry.name, namespace=entry.namespace)
        told = "parallelism is 0: no Pods are created until it is raised"
        return Finding(about, waiting, told, remedy=edit)
    if phase == "Retrying":
        # 10 s, 20 s, 40 s ... up to six minutes.
        again = "the next Pod is created after a pause that doubles with each failure"
        return Finding(about, waiting, again)
    return None


def shortened(indexes: str) -> str:
    """Return *indexes*, or the first of them: a Job may have 100,000."""
    if len(indexes) <= _INDEXES:
        return indexes
    return indexes[:_INDEXES].rpartition(",")[0] + ", …"


def _why_failed(entry: Entry, failed: dict[str, JSON]) -> str:
    reason, message = text(failed, "reason"), text(failed, "message")
    spec, status = mapping(entry.document, "spec"), mapping(entry.document, "status")
    match reason:
        case "BackoffLimitExceeded":
            limit = number(spec, "backoffLimit", default=6)
            pods = many(ended_pods(entry, "failed"), "failed Pod")
            return f"gave up: {pods}, backoffLimit is {limit}"
        case "DeadlineExceeded":
            seconds = number(spec, "activeDeadlineSeconds")
            return f"gave up: not done after {seconds} s (activeDeadlineSeconds)"
        case "PodFailurePolicy":
            return f"gave up by its podFailurePolicy: {message}"
        case "FailedIndexes":
            return f"indexes {shortened(text(status, 'failedIndexes'))} failed for good"
        case "MaxFailedIndexesExceeded":
            most = number(spec, "maxFailedIndexes")
            failed_ = shortened(text(status, "failedIndexes"))
            return f"gave up: indexes {failed_} failed, maxFailedIndexes is {most}"
    return message or reason or "it failed; no reason is given"


def _why_met(met: dict[str, JSON]) -> str:
    match text(met, "reason"):
        case "CompletionsReached" | "":
            return "all that had to succeed has succeeded"
        case "SuccessPolicy":
            return f"enough has succeeded by its successPolicy: {text(met, 'message')}"
        case reason:
            return text(met, "message") or reason


def _moment_of_end(entry: Entry) -> float | None:
    # A Job that failed has no completionTime.
    failed = condition(entry.document, "Failed")
    if failed.get("status") == "True":
        return moment(failed, "lastTransitionTime")
    return moment(entry.document, "status", "completionTime")


def _logs(failed: list[Entry], entry: Entry) -> Remedy:
    if not failed:
        return NO_REMEDY
    pod = failed[-1]
    container = failed_container(pod)
    if not container:
        return kubectl("logs {}", pod.name, namespace=entry.namespace)
    return kubectl("logs {} -c {}", pod.name, container, namespace=entry.namespace)


def _again(entry: Entry) -> Remedy:
    for owner in mappings(entry.document, "metadata", "ownerReferences"):
        if text(owner, "kind") == "CronJob":
            name = text(owner, "name")
            edit = kubectl("edit cronjob/{}", name, namespace=entry.namespace)
            return advice("fix the cause; if it is in the template: {}", edit)
    return advice("fix the cause, delete the Job and create it again")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
