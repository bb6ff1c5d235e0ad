"""What a trace says of Jobs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import CREATED, Object, conditions, pod_of, reported, workload
from tests.core.diagnosis.cases import Row, Rules, check, rows
from tests.core.diagnosis.workloads import lose, phases, root_at, texts
from tests.tracing import diagnosed_in, diagnosis, inventory


def job(*, spec: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    """Return a Job of three, two at a time, that has begun."""
    return workload(
        "Job",
        "copy",
        spec={"completions": 3, "parallelism": 2, "backoffLimit": 6, **(spec or {})},
        **{"startTime": CREATED, "active": 2, **status},
    )


def failed_pod(name: str, code: int, reason: str = "Error", **metadata: Any) -> Any:
    ended = {"exitCode": code, "reason": reason}
    return workload(
        "Pod",
        name,
        owner="copy",
        metadata=metadata,
        phase="Failed",
        containerStatuses=[{"name": "main", "state": {"terminated": ended}}],
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("migrate", ["Waiting", "Running", "Completing", "Complete"]),
        (
            "failing",
            ["Waiting", "Running", "Retrying", "Running", "Failing", "Failed"],
        ),
    ],
)
def test_recorded_jobs_have_phases(name: str, told: list[str]) -> None:
    assert phases("workloads", f"Job/{name}") == told


@pytest.mark.parametrize(
    ("name", "at", "final"),
    [("migrate", 11.9, False), ("migrate", 61, True), ("failing", 30, True)],
)
def test_recorded_jobs_are_final_when_over(name: str, at: float, final: bool) -> None:
    node = root_at("workloads", f"Job/{name}", at)
    assert (node.final, any(each.final for each in node.findings)) == (
        final,
        name == "failing",
    )


def failed_by(reason: str, *, spec: Any = None, **status: Any) -> Object:
    told = conditions(Failed=f"True {reason}")
    return job(spec=spec, conditions=told, **status)


def complete(why: str, *, spec: Any = None, **status: Any) -> Object:
    return job(spec=spec, conditions=conditions(Complete=f"True {why}"), **status)


BY_RULE = (
    "Container main for pod shop/copy-x failed with exit code 42 matching FailJob rule"
    " at index 0"
)
INDEX = "batch.kubernetes.io/job-completion-index"
INDEXED = {"completionMode": "Indexed", "backoffLimitPerIndex": 1}
ON_INDEXES = [
    failed_pod(f"copy-{n}-x", 1, annotations={INDEX: n}) for n in ("10", "2", "junk")
]
CODES = [failed_pod(f"copy-{n}", code) for n, code in enumerate((1, 2, 2, 3))]
SUSPENDED = conditions(Suspended="True")
REFUSED = reported(
    "FailedCreate", 'Error creating: Pod "x" is invalid: bad', about="copy"
)
OF_NIGHTLY = failed_by(
    "BackoffLimitExceeded x", spec={"ttlSecondsAfterFinished": 60}, failed=1
)
OTHER = {"kind": "Other", "uid": "x"}
NIGHTLY = {"kind": "CronJob", "name": "nightly", "uid": "nightly"}
OF_NIGHTLY["metadata"]["ownerReferences"] = [NIGHTLY, OTHER]
OF_OTHER = failed_by("BackoffLimitExceeded x")
OF_OTHER["metadata"]["ownerReferences"] = [OTHER]
IDLE = workload(
    "Job", "web", spec={"parallelism": 0, "completions": 1}, startTime=CREATED
)
JOBS: Rules = {
    "a deadline is exceeded": (
        failed_by("DeadlineExceeded late", spec={"activeDeadlineSeconds": 60}),
        "condition/Failed: JobDeadlineExceeded seconds=60",
    ),
    "a policy fails a Job": (
        failed_by(f"PodFailurePolicy {BY_RULE}"),
        "condition/Failed: PodFailurePolicy message=Container main for pod "
        "shop/copy-x failed with exit code 42 matching FailJob rule at index "
        "0",
    ),
    "indexes fail": (
        failed_by("FailedIndexes Job has failed indexes", failedIndexes="1,3-5"),
        "condition/Failed: FailedIndexes indexes=1,3-5",
    ),
    "too many indexes fail": (
        failed_by(
            "MaxFailedIndexesExceeded Job has exceeded it",
            spec={"maxFailedIndexes": 1},
            failedIndexes="1,3",
        ),
        "condition/Failed: MaxFailedIndexesExceeded indexes=1,3 most=1",
    ),
    "another failure shows the server's words": (
        failed_by("Strange something else"),
        "condition/Failed: JobFailed message=something else",
    ),
    "another success shows the server's words": (
        complete("Odd all is well"),
        "condition/Complete: JobEnded message=all is well",
        "no others",
    ),
    "a success policy is named": (
        complete("SuccessPolicy Matched rules at index 0"),
        "Complete ok",
        "condition/Complete: JobSucceededByPolicy message=Matched rules at index 0",
        "no others",
    ),
    "a failure does not count while the Job gets on": (
        *(job(succeeded=1, failed=1), failed_pod("copy-1", 137, "OOMKilled")),
        "Running waiting",
        "= 1 of 3 succeeded, 2 active, 1 failed",
        "failures: waiting PodsFailed causes=[(PodEnd "
        "containers=[(ContainerEnd container=main exit=137 "
        "reason=OOMKilled)])] limit=6 most=7 pods=1",
    ),
    "failures are counted by their cause": (
        job(failed=4),
        *CODES,
        "failures: waiting PodsFailed causes=[(PodEnd "
        "containers=[(ContainerEnd container=main exit=2)] pods=2), (PodEnd "
        "containers=[(ContainerEnd container=main exit=1)])] limit=6 more "
        "most=7 pods=4",
    ),
    "an indexed Job names its indexes": (
        job(spec=INDEXED, completedIndexes="0-1", failedIndexes="2", succeeded=2),
        *ON_INDEXES,
        "> index 2; index 10",
        "indexes: failing IndexesEnded done=0-1 failed=2",
        "failures: waiting PodsFailed causes=[(PodEnd "
        "containers=[(ContainerEnd container=main exit=1)] pods=3)] once "
        "pods=3",
    ),
    "a suspended Job says how to resume it": (
        job(spec={"suspend": True}, active=0, conditions=SUSPENDED),
        "Suspended waiting",
        "progress: JobSuspended",
        "progress -> kubectl patch job/copy --type=merge -p "
        '\'{"spec":{"suspend":false}}\' -n shop',
    ),
    "a Job that was just resumed is not called suspended": (
        job(spec={"suspend": False}, active=0, conditions=SUSPENDED),
        "Waiting waiting",
        "generation: NotObserved late",
        "no others",
    ),
    "a deadline is shown as a time": (
        job(spec={"activeDeadlineSeconds": 90}),
        "activeDeadlineSeconds: JobDeadline at=2026-11-21T15:01:30Z seconds=90",
        "no others",
    ),
    "the end of a Job that is done is shown as a time": (
        complete(
            "CompletionsReached",
            spec={"ttlSecondsAfterFinished": 60},
            completionTime=CREATED,
        ),
        "ttlSecondsAfterFinished: JobExpires at=2026-11-21T15:01:00Z seconds=60",
    ),
    "a work queue has no number to reach": (
        workload("Job", "copy", spec={"parallelism": 5}, startTime=CREATED),
        "= 0 succeeded",
    ),
    "a refusal is reported while Pods are missing": (
        *(job(active=0), REFUSED),
        "creation: CreationRefused what=Pods why=(ObjectInvalid message=bad)",
    ),
    "a refusal is over when no Pods are missing": (job(), REFUSED, "no creation"),
    "another manager is named": (
        job(spec={"managedBy": "kueue.x-k8s.io/multikueue"}),
        "managedBy: ManagedElsewhere manager=kueue.x-k8s.io/multikueue",
    ),
    "a Job of a CronJob is mended there": (
        OF_NIGHTLY,
        "condition/Failed -> fix the cause; if it is in the template: "
        "kubectl edit cronjob/nightly -n shop",
        "ttlSecondsAfterFinished: JobExpires at=2026-11-21T15:01:00Z seconds=60",
    ),
    "an owner that is no CronJob changes nothing": (
        OF_OTHER,
        "condition/Failed -> fix the cause, delete the Job and create it again",
    ),
    "a Job may be suspended before it starts": (
        workload("Job", "copy", spec={"suspend": True}),
        "Suspended waiting",
    ),
    "a Job whose Pods are gone has no logs to look at": (
        job(active=0, failed=1),
        "Retrying waiting",
        "failures -> nothing",
    ),
    "a Job without Pods starts": (job(active=0), "Starting waiting"),
    "a Job of no parallelism says that it makes no Pods": (
        IDLE,
        "Paused waiting",
        "progress: JobPaused",
    ),
}


@rows(JOBS)
def test_jobs_say_how_they_get_on(row: Row) -> None:
    check(row)


def test_a_failed_pod_does_not_count_below_a_job_that_gets_on() -> None:
    told = diagnosis(job(succeeded=1, failed=1), failed_pod("copy-1", 137))
    assert [each.counts for each in told.children or ()] == [False]


def test_a_long_list_of_indexes_is_cut_between_two_of_them() -> None:
    many = ",".join(map(str, range(0, 1000, 2)))
    (text,) = texts(diagnosis(job(completedIndexes=many)), "indexes")
    assert text.endswith(",40, …")
    assert len(text) < 90


def test_the_exit_code_of_a_pod_that_was_deleted_with_the_job_is_remembered() -> None:
    """With restartPolicy OnFailure the controller deletes the Pod that still runs."""
    spec = {"template": {"spec": {"restartPolicy": "OnFailure"}}}
    failed = conditions(Failed="True BackoffLimitExceeded gave up")
    job = workload("Job", "web", spec=spec, startTime=CREATED, failed=1)
    job["status"]["conditions"] = failed
    pod = pod_of("web", "web-x", ready=False)
    last = {"terminated": {"exitCode": 7, "reason": "Error"}}
    loop = {"waiting": {"reason": "CrashLoopBackOff"}}
    pod["status"]["containerStatuses"] = [
        {"name": "m", "state": loop, "lastState": last}
    ]
    seen = inventory(job)
    lose(seen, pod)
    told = diagnosed_in(seen, "web")
    assert texts(told, "failures") == ["1 Pod failed: container m: exit code 7"]
    # Who looks later has nothing left to see.
    told = check((job, "failures: PodsFailed lost pods=1"))
    (finding,) = [each for each in told.findings if each.about == "failures"]
    assert finding.remedy.startswith("restartPolicy Never keeps Pods")
