"""Facts about Jobs and CronJobs."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING = Verdict.OK, Verdict.WAITING
_DOCS = "https://kubernetes.io/docs/concepts/workloads/controllers/"
_JOB = f"{_DOCS}job/"
_CRON_JOB = f"{_DOCS}cron-jobs/"
_ENDING = "[; its last Pods are being ended{ending!}]"
JOBS = (
    Code(
        "BackoffLimitExceeded",
        "gave up: {pods failed Pod}, backoffLimit is {limit}",
        final=True,
        explains=("BackoffLimitExceeded",),
        page=f"{_JOB}#pod-backoff-failure-policy",
    ),
    Code(
        "JobDeadlineExceeded",
        "gave up: not done after {seconds} s (activeDeadlineSeconds)",
        final=True,
        explains=("DeadlineExceeded",),
        page=f"{_JOB}#job-termination-and-cleanup",
    ),
    Code(
        "PodFailurePolicy",
        "gave up by its podFailurePolicy: {message}",
        final=True,
        explains=("PodFailurePolicy",),
        page=f"{_JOB}#pod-failure-policy",
    ),
    Code(
        "FailedIndexes",
        "indexes {indexes} failed for good",
        final=True,
        explains=("FailedIndexes",),
        page=f"{_JOB}#backoff-limit-per-index",
    ),
    Code(
        "MaxFailedIndexesExceeded",
        "gave up: indexes {indexes} failed, maxFailedIndexes is {most}",
        final=True,
        explains=("MaxFailedIndexesExceeded",),
    ),
    Code("JobFailed", "[{message}|it failed; no reason is given]", final=True),
    Code("JobSucceeded", "all that had to succeed has succeeded" + _ENDING, OK),
    Code(
        "JobSucceededByPolicy",
        "enough has succeeded by its successPolicy: {message}" + _ENDING,
        OK,
        page=f"{_JOB}#success-policy",
    ),
    Code("JobEnded", "{message}" + _ENDING, OK),
    Code(
        "PodsFailed",
        "{pods Pod} failed[: {causes,; }[; and others{more!}]]"
        "[; it was deleted with its exit code and its logs{lost!}]"
        "[; each index may fail once and be tried again{once!}"
        "|; no index is tried again{never!}"
        "|; each index may fail {often} times and be tried again"
        "|; it gives up after {most failure} (backoffLimit {limit})]",
        page=f"{_JOB}#pod-backoff-failure-policy",
    ),
    Code(
        "IndexesEnded",
        "[indexes done: {done}[; indexes failed for good: {failed}]"
        "|indexes failed for good: {failed}]",
        OK,
    ),
    Code("ManagedElsewhere", "managed by {manager}, not by Kubernetes", OK),
    Code("JobExpires", "is deleted at {at} (ttlSecondsAfterFinished {seconds})", OK),
    Code(
        "JobDeadline",
        "fails if it runs until {at} (activeDeadlineSeconds {seconds})",
        OK,
    ),
    Code("JobSuspended", "suspended: no Pods are created until it is resumed", WAITING),
    Code(
        "JobPaused",
        "parallelism is 0: no Pods are created until it is raised",
        WAITING,
    ),
    Code(
        "JobRetries",
        "the next Pod is created after a pause that doubles with each failure",
        WAITING,
    ),
    Code(
        "CronJobSuspended",
        "suspended: no Jobs are created until it is resumed",
        WAITING,
    ),
    Code(
        "LastRun",
        "last run was due at {due}; [the last success ended at {ended}"
        "|none has succeeded yet]",
        OK,
    ),
    Code(
        "RunSkipped",
        "a run was left out: the one before[ ({jobs,, })] still runs "
        "(concurrencyPolicy Forbid)",
        WAITING,
        explains=("JobAlreadyActive",),
        page=_CRON_JOB,
    ),
    Code(
        "RunTooLate",
        "a run was left out: it was later than startingDeadlineSeconds",
        explains=("MissSchedule",),
        page=_CRON_JOB,
    ),
    Code(
        "RunsMissed",
        "more than 100 runs were missed: set startingDeadlineSeconds, or look for a "
        "wrong clock",
        explains=("TooManyMissedTimes", "FailedNeedsStart"),
        page=_CRON_JOB,
    ),
    Code(
        "ScheduleInvalid",
        "{message}",
        final=True,
        explains=("UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone"),
        page=_CRON_JOB,
    ),
    Code("JobNotSucceeded", "Job {job} has not succeeded so far: {why}"),
    Code("InPod", "pod {pod}: {why}", WAITING),
    Code(
        "LastJobFailed",
        "the last Job to end, {job}, failed[: {reason}"
        "|; it is not there any more{gone!}|: no reason is given]",
    ),
    Code(
        "RunUnrecorded",
        "the run scheduled for {due} ended without a recorded success",
        WAITING,
    ),
)
