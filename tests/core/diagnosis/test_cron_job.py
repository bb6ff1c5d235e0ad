"""What a trace says of CronJobs."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from tests.builders import conditions, reported, workload
from tests.core.diagnosis.workloads import phases, roles, root_at, texts
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
    assert texts(root_at(*TARGET, 20), "last-run") == [
        "last run was due at 2026-11-20T15:12:00Z; "
        "the last success ended at 2026-11-20T15:12:03Z"
    ]


def test_the_schedule_is_said_with_its_time_zone() -> None:
    berlin = diagnosis(cron_job("0 3 * * *", timeZone="Europe/Berlin"))
    assert berlin.summary == "schedule 0 3 * * * in Europe/Berlin"
    assert (berlin.phase, berlin.verdict, texts(berlin)) == (
        "Scheduled",
        Verdict.OK,
        [],
    )


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("UnparseableSchedule", 'unparseable schedule: "daily" : expected exactly 5'),
        ("UnParseableCronJobSchedule", "unparseable schedule for cronjob: daily"),
        ("InvalidSchedule", "invalid schedule: daily : no such date"),
    ],
)
def test_a_schedule_that_the_controller_cannot_read_is_final(
    reason: str, message: str
) -> None:
    told = diagnosis(cron_job("daily"), reported(reason, message, about="tick"))
    assert (told.phase, told.verdict) == ("Invalid", Verdict.FAILING)
    assert texts(told) == [message]
    assert told.findings[0].final
    assert told.findings[0].remedy == "kubectl edit cronjob/tick -n shop"
    # What was wrong with an earlier schedule is no fault of this one.
    mended = diagnosis(cron_job(), reported(reason, message, about="tick"))
    assert (mended.phase, mended.verdict) == ("Scheduled", Verdict.OK)
    assert mended.findings == ()


def test_suspended_says_how_to_resume() -> None:
    told = diagnosis(cron_job(suspend=True), reported("MissSchedule", about="tick"))
    assert (told.phase, told.verdict) == ("Suspended", Verdict.WAITING)
    assert texts(told) == ["suspended: no Jobs are created until it is resumed"]
    assert '{"spec":{"suspend":false}}' in told.findings[0].remedy


def test_active_and_last_jobs_are_shown_newest_first() -> None:
    jobs = [
        *(job(number, "Complete") for number in (1, 2, 3)),
        *(job(number, "Failed") for number in (4, 5)),
        job(6, "Complete"),
        job(7, active=1),
        job(8, active=1),
    ]
    told = diagnosis(cron_job(), *jobs)
    assert [(each.uid, each.role, each.counts) for each in told.children or ()] == [
        ("tick-8", "active", True),
        ("tick-7", "active", True),
        ("tick-6", "last to succeed", True),
        ("tick-5", "last to fail", False),
    ]
    assert (told.phase, told.verdict) == ("Active", Verdict.OK)
    assert told.summary == "schedule */5 * * * *, 2 Jobs active"


def test_a_last_run_that_failed_is_its_failure() -> None:
    told = diagnosis(cron_job(), job(1, "Complete"), job(2, "Failed"))
    assert told.verdict is Verdict.FAILING
    assert texts(told, "last-failure") == [
        "the last Job to end, tick-2, failed: Because"
    ]
    assert [each.counts for each in told.children or ()] == [True, True]


def missing(reason: str, message: str = "", *more: Any) -> tuple[Diagnosis, list[str]]:
    told = diagnosis(cron_job(), reported(reason, message, about="tick"), *more)
    return told, texts(told, "missed")


def test_runs_that_were_left_out_are_explained() -> None:
    told, why = missing("JobAlreadyActive")
    assert told.verdict is Verdict.OK
    assert why == [
        "a run was left out: the one before still runs (concurrencyPolicy Forbid)"
    ]
    told, why = missing("TooManyMissedTimes")
    assert told.verdict is Verdict.FAILING
    assert why[0].startswith("more than 100 runs were missed")
    told, why = missing("MissSchedule")
    assert why == ["a run was left out: it was later than startingDeadlineSeconds"]
    unknown = reported("UnknownTimeZone", 'invalid timeZone: "x"', about="tick")
    told = diagnosis(cron_job(timeZone="x"), unknown)
    assert texts(told, "missed") == ['invalid timeZone: "x"']


def test_a_run_that_was_left_out_is_forgotten_when_one_starts() -> None:
    started = reported("SuccessfulCreate", first="2026-11-21T15:00:09Z", about="tick")
    assert missing("MissSchedule", "", started)[1] == []


def test_a_job_that_cannot_be_created_is_reported() -> None:
    refused = (
        'Error creating job: jobs.batch "tick-1" is forbidden: exceeded quota: q, '
        "requested: count/jobs.batch=1, used: count/jobs.batch=5, "
        "limited: count/jobs.batch=5"
    )
    told = diagnosis(cron_job(), reported("FailedCreate", refused, about="tick"))
    assert texts(told, "creation") == [
        "cannot create a Job: quota q is exceeded: "
        "count/jobs.batch requested 1, used 5 of 5"
    ]


def test_jobs_that_may_not_be_listed_are_counted_from_the_status() -> None:
    running = cron_job()
    running["status"]["active"] = [{"name": "tick-1"}]
    told = diagnosis(running, unseen={"Job": "may not list jobs.batch"})
    assert told.summary.endswith("1 Job active")
    assert texts(told, "jobs") == [
        "unknown: may not list jobs.batch, so its Jobs and their Pods are not shown"
    ]
    assert told.findings[-1].remedy == "ask for list and watch on jobs.batch"


def test_the_latest_of_several_reasons_is_reported() -> None:
    later = reported("MissSchedule", first="2026-11-21T15:00:09Z", about="tick")
    assert missing("TooManyMissedTimes", "", later)[1] == [
        "a run was left out: it was later than startingDeadlineSeconds"
    ]


def failing_pod(owner: str) -> dict[str, Any]:
    pod = workload("Pod", f"{owner}-x", owner=owner, phase="Failed")
    ended = {"terminated": {"exitCode": 3, "reason": "Error"}}
    pod["status"]["containerStatuses"] = [{"name": "app", "state": ended}]
    return pod


def test_a_run_that_fails_and_is_tried_again_is_not_fine() -> None:
    told = diagnosis(cron_job(), job(1, active=1, failed=2), failing_pod("tick-1"))
    assert (told.phase, told.verdict) == ("Active", Verdict.WAITING)
    assert texts(told, "active-run") == [
        "Job tick-1 has not succeeded so far: 2 Pods failed: container app: exit code 3"
    ]


def test_a_run_whose_pod_cannot_start_is_not_fine() -> None:
    pod = workload("Pod", "tick-1-x", owner="tick-1", phase="Pending")
    pod["spec"] = {"containers": [{"name": "app", "image": "BAD"}]}
    waiting = {"reason": "InvalidImageName", "message": "couldn't parse"}
    pod["status"]["containerStatuses"] = [
        {"name": "app", "state": {"waiting": waiting}}
    ]
    told = diagnosis(cron_job(), job(1, active=1), pod)
    assert told.verdict is Verdict.WAITING
    assert texts(told, "active-run") == [
        "Job tick-1 has not succeeded so far: pod tick-1-x: BAD is no valid name of an"
        " image"
    ]


def test_a_run_whose_pods_are_refused_fails() -> None:
    refused = reported("FailedCreate", 'pods "x" is forbidden: no', about="tick-1")
    told = diagnosis(cron_job(), job(1), refused)
    assert told.verdict is Verdict.FAILING


def ran(at: str, *active: str) -> dict[str, Any]:
    """Return the CronJob with no history of its Jobs, whose last run was due *at*."""
    kept = cron_job(failedJobsHistoryLimit=0)
    kept["status"]["lastScheduleTime"] = at
    kept["status"]["active"] = [{"name": each} for each in active]
    return kept


@pytest.mark.parametrize("prefix", ["", "(combined from similar events): "])
@pytest.mark.parametrize("active", [(), ("tick-2",)])
def test_a_failed_run_without_job_is_reported(active: tuple[str], prefix: str) -> None:
    running = [job(2, active=1)] if active else []
    saw = f"{prefix}Saw completed job: tick-1, condition: Failed"
    told = diagnosis(
        ran("2026-11-21T14:01:00Z", *active),
        reported("SawCompletedJob", saw, first="2026-11-21T14:01:30Z", about="tick"),
        *running,
    )
    assert told.verdict is Verdict.FAILING
    assert texts(told, "last-failure") == [
        "the last Job to end, tick-1, failed; it is not there any more"
    ]


def test_a_run_without_success_is_not_ok() -> None:
    told = diagnosis(ran("2026-11-21T14:01:00Z"))
    assert told.verdict is Verdict.WAITING
    assert texts(told, "last-failure") == [
        "the run scheduled for 2026-11-21T14:01:00Z ended without a recorded success"
    ]
    succeeded = ran("2026-11-21T14:01:00Z")
    succeeded["status"]["lastSuccessfulTime"] = "2026-11-21T14:01:09Z"
    told = diagnosis(succeeded)
    assert (told.verdict, texts(told, "last-failure")) == (Verdict.OK, [])
    told = diagnosis(ran("2026-11-21T14:02:00Z", "tick-2"), job(2, active=1))
    assert told.verdict is Verdict.OK


def test_a_success_after_a_failure_that_is_gone_is_the_last_run() -> None:
    saw = "Saw completed job: tick-1, condition: Failed"
    told = diagnosis(
        cron_job(),
        reported("SawCompletedJob", saw, first="2026-11-21T14:01:30Z", about="tick"),
        job(2, "Complete"),
    )
    assert told.verdict is Verdict.OK
