"""How a Job ended, and how many of its Pods did.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, stating
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice, kubectl

_INDEXES_WIDTH = 60  # a Job may have 100,000 indexes


def outcome(entry: Entry) -> Finding | None:
    for kind in ("Failed", "FailureTarget"):
        failed = condition(entry.document, kind)
        if failed.get("status") == "True":
            return stating(
                _why_failed(entry, failed),
                "condition/Failed",  # FailureTarget announces it
                remedy=_again(entry),
                since=moment(failed, "lastTransitionTime"),
            )
    for kind in ("Complete", "SuccessCriteriaMet"):
        met = condition(entry.document, kind)
        if met.get("status") == "True":
            ending = kind != "Complete"
            return stating(
                _why_met(met, ending=ending),
                "condition/Complete",
                verdict=Verdict.WAITING if ending else Verdict.OK,
                since=moment(met, "lastTransitionTime"),
            )
    return None


def _why_failed(entry: Entry, failed: dict[str, JSON]) -> Fact:
    reason, message = text(failed, "reason"), text(failed, "message")
    spec = mapping(entry.document, "spec")
    indexes = shortened(text(entry.document, "status", "failedIndexes"))
    match reason:
        case "BackoffLimitExceeded":
            limit = number(spec, "backoffLimit", default=6)
            pods = ended_pods(entry, "failed")
            return fact("BackoffLimitExceeded", pods=pods, limit=limit)
        case "DeadlineExceeded":
            seconds = number(spec, "activeDeadlineSeconds")
            return fact("JobDeadlineExceeded", seconds=seconds)
        case "PodFailurePolicy":
            return fact("PodFailurePolicy", message=message)
        case "FailedIndexes":
            return fact("FailedIndexes", indexes=indexes)
        case "MaxFailedIndexesExceeded":
            most = number(spec, "maxFailedIndexes")
            return fact("MaxFailedIndexesExceeded", indexes=indexes, most=most)
    return fact("JobFailed", message=message or reason)


def _why_met(met: dict[str, JSON], *, ending: bool) -> Fact:
    message = text(met, "message")
    match text(met, "reason"):
        case "CompletionsReached" | "":
            return fact("JobSucceeded", ending=ending)
        case "SuccessPolicy":
            return fact("JobSucceededByPolicy", message=message, ending=ending)
        case reason:
            return fact("JobEnded", message=message or reason, ending=ending)


def _again(entry: Entry) -> Remedy:
    for owner in mappings(entry.document, "metadata", "ownerReferences"):
        if text(owner, "kind") == "CronJob":
            name = text(owner, "name")
            edit = kubectl("edit cronjob/{}", name, namespace=entry.namespace)
            return advice("fix the cause; if it is in the template: {}", edit)
    return advice("fix the cause, delete the Job and create it again")


def shortened(indexes: str) -> str:
    if len(indexes) <= _INDEXES_WIDTH:
        return indexes
    return indexes[:_INDEXES_WIDTH].rpartition(",")[0] + ", …"


def ended_pods(entry: Entry, how: str) -> int:
    """Return how many Pods `succeeded` or `failed`, with those still uncounted.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-tracking-with-finalizers
    """
    status = mapping(entry.document, "status")
    uncounted = mapping(status, "uncountedTerminatedPods").get(how)
    added = len(uncounted) if isinstance(uncounted, list) else 0
    return number(status, how) + added


def moment_of_end(entry: Entry) -> float | None:
    # A Job that failed has no completionTime.
    failed = condition(entry.document, "Failed")
    if failed.get("status") == "True":
        return moment(failed, "lastTransitionTime")
    return moment(entry.document, "status", "completionTime")
