"""CronJobs: when Jobs are made, why one was not, and how the last ones went.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import clock_time, many
from kubectl_spy.core.diagnosis.kinds.cron_job_runs import (
    active_run,
    failed_run,
    is_newer,
)
from kubectl_spy.core.diagnosis.kinds.cron_job_schedule import (
    missed,
    schedule_finding,
)
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.job import phase_of
from kubectl_spy.core.diagnosis.kinds.refusals import refused_creation
from kubectl_spy.core.diagnosis.kinds.visibility import unseen_kinds
from kubectl_spy.core.fields import flag, mappings, moment, text
from kubectl_spy.core.remedy import RESUME, kubectl


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return when the CronJob runs next, and how its last Jobs went."""
    jobs = seen.owned(entry.uid, "Job")[::-1]  # newest first
    active = [each for each in jobs if phase_of(each)[0] not in ("Complete", "Failed")]
    succeeded = _newest(jobs, "Complete")
    failed = _newest(jobs, "Failed")
    last_failed = failed is not None and is_newer(failed, succeeded)
    children = tuple(_children(jobs, active, succeeded, failed, counts=last_failed))
    summary = _summary(entry, active)
    early = terminating(entry, seen, summary, children)
    if early is not None:
        return early
    schedule = schedule_finding(entry, seen.time)
    broken = schedule.verdict is Verdict.FAILING
    suspended = flag(entry.document, "spec", "suspend") is True
    candidates = (
        _suspended(entry) if suspended else schedule,
        None if suspended else refused_creation(entry, seen, "a Job"),
        None if suspended else missed(entry, seen, broken=broken),
        active_run(active, seen),
        failed_run(entry, seen, succeeded, failed),
        _history(entry),
        *unseen_kinds(entry, seen, "Job", "Pod"),
    )
    findings = tuple(each for each in candidates if each is not None)
    told = {each.verdict for each in findings if each.about != "missed"}
    wrong = any(each.verdict is Verdict.FAILING for each in findings)
    calm = Verdict.WAITING if Verdict.WAITING in told else Verdict.OK
    if suspended:
        phase = "Suspended"
    elif broken:
        phase = "Invalid"
    else:
        phase = "Active" if active else "Scheduled"
    return Diagnosis(
        phase=phase,
        verdict=Verdict.FAILING if wrong else calm,
        summary=summary,
        findings=findings,
        children=children,
    )


def _summary(entry: Entry, active: list[Entry]) -> str:
    schedule = text(entry.document, "spec", "schedule")
    zone = text(entry.document, "spec", "timeZone")
    # The status knows, even where Jobs may not be listed.
    running = max(len(active), len(mappings(entry.document, "status", "active")))
    parts = [f"schedule {schedule}" + (f" in {zone}" if zone else "")]
    parts += [f"{many(running, 'Job')} active"] if running else []
    return ", ".join(parts)


def _suspended(entry: Entry) -> Finding:
    return Finding(
        "schedule",
        Verdict.WAITING,
        "suspended: no Jobs are created until it is resumed",
        remedy=kubectl(RESUME, "cronjob", entry.name, namespace=entry.namespace),
    )


def _history(entry: Entry) -> Finding | None:
    """Return when it ran last and when a run succeeded last."""
    ran = moment(entry.document, "status", "lastScheduleTime")
    succeeded = moment(entry.document, "status", "lastSuccessfulTime")
    if ran is None:
        return None
    text_ = f"last run was due at {clock_time(ran)}"
    if succeeded is not None:
        text_ += f"; the last success ended at {clock_time(succeeded)}"
    else:
        text_ += "; none has succeeded yet"
    return Finding("last-run", Verdict.OK, text_)


def _newest(jobs: list[Entry], phase: str) -> Entry | None:
    return next((each for each in jobs if phase_of(each)[0] == phase), None)


def _children(
    jobs: list[Entry],
    active: list[Entry],
    succeeded: Entry | None,
    failed: Entry | None,
    *,
    counts: bool,
) -> Iterator[Child]:
    """Yield what runs, and the last to succeed and to fail: newest first."""
    for job in jobs:
        if job in active:
            yield Child(job.uid, "active")
        elif job is succeeded:
            yield Child(job.uid, "last to succeed")
        elif job is failed:
            yield Child(job.uid, "last to fail", counts)
