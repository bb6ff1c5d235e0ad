"""What a trace says of CronJobs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Object, conditions, reported, workload
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
from tests.core.diagnosis.workloads import phases, roles, texts
from tests.tracing import diagnosis

TARGET = ("workloads", "CronJob/tick")


def cron_job(schedule: str = "*/5 * * * *", **spec: Any) -> dict[str, Any]:
    return workload("CronJob", "tick", spec={"schedule": schedule, **spec})


def job(number: int, how: str = "", **status: Any) -> dict[str, Any]:
    """Return Job `tick-NUMBER` of the minute of that number, that ended *how*."""
    minute = f"2026-11-21T14:{number:02}:00Z"
    told = conditions(**{how: "True Because"}) if how else []
    for each in told:
        each["lastTransitionTime"] = f"2026-11-21T14:{number:02}:30Z"
    return workload(
        "Job",
        f"tick-{number}",
        owner="tick",
        metadata={"creationTimestamp": minute},
        startTime=minute,
        conditions=told,
        **status,
    )


def test_a_run_is_shown_while_it_is_active_and_when_it_was_the_last() -> None:
    assert phases(*TARGET) == ["Scheduled", "Active", "Scheduled"]
    assert roles(*TARGET, 10) == ["tick-29919792: active"]
    assert roles(*TARGET, 20) == ["tick-29919792: last to succeed"]


@pytest.mark.parametrize(
    "event",
    [
        'UnparseableSchedule unparseable schedule: "daily" : expected exactly 5',
        "UnParseableCronJobSchedule unparseable schedule for cronjob: daily",
        "InvalidSchedule invalid schedule: daily : no such date",
    ],
)
def test_a_schedule_that_the_controller_cannot_read_is_final(event: str) -> None:
    reason, message = event.split(" ", 1)
    wrong = reported(reason, message, about="tick")
    edit = "missed -> kubectl edit cronjob/tick -n shop"
    told = check((cron_job("daily"), wrong, "Invalid failing", edit))
    assert texts(told) == [message]
    assert told.findings[0].final
    # What was wrong with an earlier schedule is no fault of this one.
    check((cron_job(), wrong, "Scheduled ok", "no others"))


def about_tick(reason: str, message: str = "", first: str = "15:00:00") -> Object:
    return reported(reason, message, about="tick", first=f"2026-11-21T{first}Z")


def failed_pod(owner: str, **waiting: str) -> Object:
    """Return a Pod that has failed, or that waits to be started."""
    phase = "Pending" if waiting else "Failed"
    pod = workload("Pod", f"{owner}-x", owner=owner, phase=phase)
    ended = {"terminated": {"exitCode": 3, "reason": "Error"}}
    state = {"waiting": waiting} if waiting else ended
    pod["spec"] = {"containers": [{"name": "app", "image": "BAD"}]}
    pod["status"]["containerStatuses"] = [{"name": "app", "state": state}]
    return pod


def ran(minute: int, *active: str, **status: str) -> Object:
    """Return the CronJob with no history of its Jobs, whose last run was due then."""
    kept = cron_job(failedJobsHistoryLimit=0)
    at = f"2026-11-21T14:0{minute}:00Z"
    named = [{"name": each} for each in active]
    kept["status"] |= {"lastScheduleTime": at, "active": named, **status}
    return kept


MANY = [
    *(job(number, "Complete") for number in (1, 2, 3)),
    *(job(number, "Failed") for number in (4, 5)),
    job(6, "Complete"),
    *(job(number, active=1) for number in (7, 8)),
]
SAW = "Saw completed job: tick-1, condition: Failed"
FAILED = about_tick("SawCompletedJob", SAW, "14:01:30")
COMBINED = f"(combined from similar events): {SAW}"
FAILED_TOO = about_tick("SawCompletedJob", COMBINED, "14:01:30")
RUNNING = job(2, active=1)
MISSED, STARTED = (
    about_tick("MissSchedule"),
    about_tick("SuccessfulCreate", "", "15:00:09"),
)
QUOTA = (
    'Error creating job: jobs.batch "tick-1" is forbidden: exceeded quota: q,'
    " requested: count/jobs.batch=1, used: count/jobs.batch=5, limited:"
    " count/jobs.batch=5"
)
LISTED = cron_job()
LISTED["status"]["active"] = [{"name": "tick-1"}]
INVALID = {"reason": "InvalidImageName", "message": "couldn't parse"}
CRON_JOBS: Rules = {
    "the schedule is said with its time zone": (
        cron_job("0 3 * * *", timeZone="Europe/Berlin"),
        "Scheduled ok",
        "= schedule 0 3 * * * in Europe/Berlin",
        "no others",
    ),
    "suspended says how to resume": (
        *(cron_job(suspend=True), MISSED),
        "Suspended waiting",
        "schedule: CronJobSuspended",
        "no others",
        "schedule -> kubectl patch cronjob/tick --type=merge -p "
        '\'{"spec":{"suspend":false}}\' -n shop',
    ),
    "active and last Jobs are shown newest first": (
        *(cron_job(), *MANY),
        "Active ok",
        "= schedule */5 * * * *, 2 Jobs active",
        "> active; active; last to succeed; last to fail",
    ),
    "a last run that failed is its failure": (
        *(cron_job(), job(1, "Complete"), job(2, "Failed")),
        "Scheduled failing",
        "last-failure: LastJobFailed job=tick-2 reason=Because",
    ),
    "a run may be left out for the one before": (
        *(cron_job(), about_tick("JobAlreadyActive")),
        "Scheduled ok",
        "missed: RunSkipped",
    ),
    "too many runs may be missed": (
        *(cron_job(), about_tick("TooManyMissedTimes")),
        "Scheduled failing",
        "missed: RunsMissed",
    ),
    "a run may be too late": (cron_job(), MISSED, "missed: RunTooLate"),
    "a time zone may be unknown": (
        *(cron_job(timeZone="x"), about_tick("UnknownTimeZone", "invalid: x")),
        "missed: ScheduleInvalid message=invalid: x",
    ),
    "a run that was left out is forgotten when one starts": (
        *(cron_job(), MISSED, STARTED),
        "no missed",
    ),
    "the latest of several reasons is reported": (
        *(cron_job(), about_tick("TooManyMissedTimes")),
        about_tick("MissSchedule", "", "15:00:09"),
        "missed: RunTooLate",
    ),
    "a Job that cannot be created is reported": (
        *(cron_job(), about_tick("FailedCreate", QUOTA)),
        "creation: CreationRefused what=a Job why=(QuotaExceeded "
        "amounts=[(QuotaAmount limit=5 requested=1 resource=count/jobs.batch "
        "used=5)] quota=q)",
    ),
    "Jobs that may not be listed are counted from the status": (
        *(LISTED, unseen(Job="may not list jobs.batch")),
        "= schedule */5 * * * *, 1 Job active",
        "jobs: JobsUnseen why=(ListForbidden resource=jobs.batch)",
        "jobs -> ask for list and watch on jobs.batch",
    ),
    "a run that fails and is tried again is not fine": (
        *(cron_job(), job(1, active=1, failed=2), failed_pod("tick-1")),
        "Active waiting",
        "active-run: waiting JobNotSucceeded job=tick-1 why=(PodsFailed "
        "causes=[(PodEnd containers=[(ContainerEnd container=app exit=3)])] "
        "pods=2)",
    ),
    "a run whose Pod cannot start is not fine": (
        *(cron_job(), job(1, active=1), failed_pod("tick-1", **INVALID)),
        "Active waiting",
        "active-run: waiting JobNotSucceeded job=tick-1 why=(InPod "
        "pod=tick-1-x why=(InvalidImageName container=app image=BAD))",
    ),
    "a run whose Pods are refused fails": (
        *(cron_job(), job(1)),
        reported("FailedCreate", 'pods "x" is forbidden: no', about="tick-1"),
        "Active failing",
    ),
    **{
        f"a failed run without a Job is reported, {how}": (
            *(ran(1, *active), event, *running),
            "Active failing" if active else "Scheduled failing",
            "last-failure: LastJobFailed gone job=tick-1",
        )
        for how, event, active, running in (
            ("by an Event", FAILED, (), ()),
            ("by a combined Event", FAILED_TOO, (), ()),
            ("beside a run", FAILED, ("tick-2",), (RUNNING,)),
            ("by a combined Event beside a run", FAILED_TOO, ("tick-2",), (RUNNING,)),
        )
    },
    "a run without success is not fine": (
        ran(1),
        "Scheduled waiting",
        "last-failure: RunUnrecorded due=2026-11-21T14:01:00Z",
    ),
    "a run with a success is fine": (
        ran(1, lastSuccessfulTime="2026-11-21T14:01:09Z"),
        "Scheduled ok",
        "no last-failure",
    ),
    "a run that goes on is fine": (ran(2, "tick-2"), RUNNING, "Active ok"),
    "a success after a failure that is gone is the last run": (
        *(cron_job(), FAILED, job(2, "Complete")),
        "Scheduled ok",
    ),
}


@rows(CRON_JOBS)
def test_cron_jobs_say_how_their_runs_went(row: Row) -> None:
    check(row)


def test_only_failures_of_the_newest_kind_count() -> None:
    told = diagnosis(cron_job(), *MANY).children or ()
    assert [(each.uid, each.counts) for each in told] == [
        *(("tick-8", True), ("tick-7", True), ("tick-6", True), ("tick-5", False))
    ]
    told = diagnosis(cron_job(), job(1, "Complete"), job(2, "Failed")).children or ()
    assert [each.counts for each in told] == [True, True]
