"""CronJobs: runs that were left out, and how the last Jobs ended.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
"""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.kinds.job import diagnose as diagnose_job
from kubectl_spy.core.diagnosis.kinds.job import phase_of
from kubectl_spy.core.diagnosis.kinds.pod import diagnose as diagnose_pod
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.workloads import unseen_kinds
from kubectl_spy.core.diagnosis.makers import at_its_source
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.wording import brief, clock_time
from kubectl_spy.core.fields import condition, flag, mappings, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, RESUME, Remedy, advice, kubectl
from kubectl_spy.core.wording import many

_MISSED = ("MissSchedule", "TooManyMissedTimes", "JobAlreadyActive", "FailedNeedsStart")
_UNREADABLE = (
    "UnparseableSchedule",
    "UnParseableCronJobSchedule",
    "InvalidSchedule",
    "UnknownTimeZone",
)
_REPORTS = {*_MISSED, *_UNREADABLE, "SuccessfulCreate"}
_SAW = re.compile(r"\bSaw completed job: (?P<job>\S+), condition: (?P<how>\w+)$")
"""The message may begin with `(combined from similar events): `.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/cronjob/cronjob_controllerv2.go"""


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return whether the CronJob runs, and how its last Jobs ended."""
    jobs = inventory.owned(entry.uid, "Job")[::-1]  # newest first
    phases = [(phase_of(each)[0], each) for each in jobs]
    active = [each for phase, each in phases if phase not in ("Complete", "Failed")]
    succeeded = next((each for phase, each in phases if phase == "Complete"), None)
    failed = next((each for phase, each in phases if phase == "Failed"), None)
    last_failed = failed is not None and _is_newer(failed, succeeded)
    roles = {each.uid: "active" for each in active}
    if succeeded is not None:
        roles[succeeded.uid] = "last to succeed"
    if failed is not None:
        roles[failed.uid] = "last to fail"
    children = tuple(
        Child(each.uid, roles[each.uid], last_failed or each is not failed)
        for each in jobs
        if each.uid in roles
    )
    summary = _summary(entry, active)
    early = terminating(entry, inventory, summary, children)
    if early is not None:
        return early
    suspended = flag(entry.document, "spec", "suspend") is True
    missed = None if suspended else _missed(entry, inventory)
    candidates = (
        _suspended(entry) if suspended else None,
        None if suspended else refused_creation(entry, inventory, "a Job"),
        missed,
        _active_run(active, inventory),
        _failed_run(entry, inventory, succeeded, failed),
        _history(entry),
        *unseen_kinds(entry, inventory, "Job", "Pod"),
    )
    findings = tuple(each for each in candidates if each is not None)
    verdict = worst(
        [
            each.verdict
            for each in findings
            # A run that was left out by concurrencyPolicy is no reason to wait.
            if (each.about, each.verdict) != ("missed", Verdict.WAITING)
            and each.verdict is not Verdict.UNKNOWN
        ]
    )
    if suspended:
        phase = "Suspended"
    elif missed is not None and missed.final:
        phase = "Invalid"
    else:
        phase = "Active" if active else "Scheduled"
    return Diagnosis(phase, verdict, summary, findings, children)


def _summary(entry: Entry, active: list[Entry]) -> str:
    schedule = text(entry.document, "spec", "schedule")
    zone = text(entry.document, "spec", "timeZone")
    # The status has the number also where Jobs cannot be listed.
    running = max(len(active), len(mappings(entry.document, "status", "active")))
    parts = [f"schedule {schedule}" + (f" in {zone}" if zone else "")]
    parts += [f"{many(running, 'Job')} active"] if running else []
    return ", ".join(parts)


def _suspended(entry: Entry) -> Finding:
    resume = kubectl(RESUME, "cronjob", entry.name, namespace=entry.namespace)
    remedy = at_its_source(resume, entry)
    return finding("CronJobSuspended", "schedule", remedy=remedy)


def _history(entry: Entry) -> Finding | None:
    ran = moment(entry.document, "status", "lastScheduleTime")
    succeeded = moment(entry.document, "status", "lastSuccessfulTime")
    if ran is None:
        return None
    ended = "" if succeeded is None else clock_time(succeeded)
    return finding("LastRun", "last-run", due=clock_time(ran), ended=ended)


def _missed(entry: Entry, inventory: Inventory) -> Finding | None:
    """Return why a run was left out, if none has started since.

    Skip an Event about an unreadable schedule that has changed since.
    """
    reported = [
        event for event in inventory.events(entry.uid) if event.reason in _REPORTS
    ]
    if not reported or reported[-1].reason == "SuccessfulCreate":
        return None
    event = reported[-1]
    unreadable = event.reason in _UNREADABLE
    if unreadable and not _quotes(entry, event):
        return None
    scheduled = moment(entry.document, "status", "lastScheduleTime")
    if scheduled is not None and scheduled > (event.last or scheduled):
        return None
    of, remedy = _why_missed(event, entry)
    final = unreadable
    return stating(of, "missed", remedy=remedy, since=event.last, final=final)


def _quotes(entry: Entry, event: ClusterEvent) -> bool:
    """Tell whether an Event quotes the current schedule or time zone.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/cronjob/cronjob_controllerv2.go
    """
    member = "timeZone" if event.reason == "UnknownTimeZone" else "schedule"
    written, message = text(entry.document, "spec", member), brief(event.message)
    return (
        f'"{written}"' in message
        or f": {written} : " in message
        or message.endswith(f": {written}")
    )


def _why_missed(event: ClusterEvent, entry: Entry) -> tuple[Fact, Remedy]:
    match event.reason:
        case "JobAlreadyActive":
            active = mappings(entry.document, "status", "active")
            jobs = tuple(text(each, "name") for each in active[:3])
            return fact("RunSkipped", jobs=jobs), NO_REMEDY
        case "MissSchedule":
            return fact("RunTooLate"), NO_REMEDY
        case "TooManyMissedTimes" | "FailedNeedsStart":
            return fact("RunsMissed"), _edit(entry)
    return fact("ScheduleInvalid", message=event.said or event.reason), _edit(entry)


def _edit(entry: Entry) -> Remedy:
    edit = kubectl("edit cronjob/{}", entry.name, namespace=entry.namespace)
    return at_its_source(edit, entry)


def _active_run(active: list[Entry], inventory: Inventory) -> Finding | None:
    for each in active:
        problem = _problem(each, inventory)
        if problem is not None:
            return finding(
                "JobNotSucceeded",
                "active-run",
                job=each.name,
                why=problem.fact,
                verdict=problem.verdict,
                remedy=problem.remedy,
                since=problem.since,
            )
    return None


def _failed_run(
    entry: Entry, inventory: Inventory, succeeded: Entry | None, failed: Entry | None
) -> Finding | None:
    """Return a finding if the last run to end failed.

    *succeeded* and *failed* are the last existing Jobs that did so. Events and the
    status of the CronJob tell about deleted ones.
    """
    if failed is not None and _is_newer(failed, succeeded):
        why = condition(failed.document, "Failed")
        return finding(
            "LastJobFailed",
            "last-failure",
            job=failed.name,
            reason=text(why, "reason") or text(why, "message"),
            remedy=kubectl("describe job/{}", failed.name, namespace=failed.namespace),
            since=moment(why, "lastTransitionTime"),
        )
    if (deleted := _deleted_failure(entry, inventory, succeeded)) is not None:
        return deleted
    ran = moment(entry.document, "status", "lastScheduleTime")
    success = moment(entry.document, "status", "lastSuccessfulTime")
    running = mappings(entry.document, "status", "active")
    if ran is None or running or (success is not None and success >= ran):
        return None
    # The controller writes the end and the success of a Job at the same time.
    remedy = kubectl(
        "get events --field-selector=involvedObject.name={}",
        entry.name,
        namespace=entry.namespace,
    )
    due = clock_time(ran)
    return finding("RunUnrecorded", "last-failure", due=due, remedy=remedy)


def _is_newer(job: Entry, other: Entry | None) -> bool:
    """Tell whether *job* did not end before *other*, as far as is known."""
    if other is None:
        return True
    ended, before = phase_of(job)[1], phase_of(other)[1]
    return ended is None or before is None or ended >= before


def _problem(job: Entry, inventory: Inventory) -> Finding | None:
    found = inventory.once(diagnose_job, job).findings
    for each in found:
        if each.verdict is Verdict.FAILING:
            return each
    for each in found:
        if each.about == "failures":
            return each
    for pod in inventory.owned(job.uid, "Pod"):
        if pod.replaced:
            continue
        for each in inventory.once(diagnose_pod, pod).findings:
            if each.verdict is Verdict.FAILING:
                return finding(
                    "InPod",
                    each.about,
                    pod=pod.name,
                    why=each.fact,
                    remedy=each.remedy,
                    since=each.since,
                    final=each.final,
                )
    return None


def _deleted_failure(
    entry: Entry, inventory: Inventory, succeeded: Entry | None
) -> Finding | None:
    """Return a finding if an Event says that the last Job failed, and it is deleted."""
    ends = [
        each for each in inventory.events(entry.uid) if each.reason == "SawCompletedJob"
    ]
    if not ends:
        return None
    end = max(ends, key=lambda each: each.last or 0.0)
    found = _SAW.search(brief(end.message))
    if found is None or found["how"] != "Failed":
        return None
    if inventory.named("batch", "Job", entry.namespace, found["job"]) is not None:
        return None
    ended = None if succeeded is None else phase_of(succeeded)[1]
    recorded = moment(entry.document, "status", "lastSuccessfulTime")
    if max(ended or 0.0, recorded or 0.0) > (end.last or 0.0):
        return None
    remedy = advice("keep failed Jobs: set failedJobsHistoryLimit to 1 or more")
    return finding(
        "LastJobFailed",
        "last-failure",
        job=found["job"],
        gone=True,
        remedy=remedy,
        since=end.last,
    )
