"""What a trace says of Jobs."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.render.findings import text as text_of
from tests.builders import CREATED, conditions, pod_of, reported, workload
from tests.core.diagnosis.workloads import is_ok, lose, phases, root_at, roots, texts
from tests.tracing import diagnosis, found, inventory


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


@pytest.mark.parametrize("name", ["migrate", "failing"])
def test_a_job_is_ok_when_complete_and_final_when_over(name: str) -> None:
    for _, node, document in roots("workloads", f"Job/{name}"):
        told = {
            each["type"]
            for each in document["status"].get("conditions", [])
            if each["status"] == "True"
        }
        assert is_ok(node) == ("Complete" in told)
        assert node.final == bool(told & {"Complete", "Failed"})


def test_the_phases_of_a_job_that_completes() -> None:
    assert phases("workloads", "Job/migrate") == [
        *("Waiting", "Running", "Completing", "Complete")
    ]
    node = root_at("workloads", "Job/migrate", 11.9)
    assert node.summary == "3 of 3 succeeded"
    assert texts(node) == [
        "all that had to succeed has succeeded; its last Pods are being ended"
    ]


def test_the_phases_of_a_job_that_fails() -> None:
    assert phases("workloads", "Job/failing") == [
        *("Waiting", "Running", "Retrying", "Running", "Failing", "Failed")
    ]


def test_a_pod_that_failed_is_explained_by_its_exit_code_and_where_to_look() -> None:
    node = root_at("workloads", "Job/failing", 10)
    assert found(node, "failures") == (
        Verdict.WAITING,
        "1 Pod failed: container m: exit code 7; it gives up after 2 failures"
        " (backoffLimit 1)",
    )
    assert node.findings[0].remedy == "kubectl logs failing-jc2bj -c m -n workloads"


def test_a_job_that_gave_up_says_why_for_good() -> None:
    node = root_at("workloads", "Job/failing", 30)
    condition, failures = node.findings
    assert text_of(condition) == "gave up: 2 failed Pods, backoffLimit is 1"
    assert condition.final and node.final
    assert text_of(failures) == "2 Pods failed: container m: exit code 7 (2 Pods)"


@pytest.mark.parametrize(
    ("reason", "more", "text"),
    [
        (
            "DeadlineExceeded Job was active longer than specified deadline",
            {"spec": {"activeDeadlineSeconds": 60}},
            "gave up: not done after 60 s (activeDeadlineSeconds)",
        ),
        (
            "PodFailurePolicy Container main for pod shop/copy-x failed with exit code"
            " 42 matching FailJob rule at index 0",
            {},
            "gave up by its podFailurePolicy: Container main for pod shop/copy-x failed"
            " with exit code 42 matching FailJob rule at index 0",
        ),
        (
            "FailedIndexes Job has failed indexes",
            {"failedIndexes": "1,3-5"},
            "indexes 1,3-5 failed for good",
        ),
        (
            "MaxFailedIndexesExceeded Job has exceeded it",
            {"failedIndexes": "1,3", "spec": {"maxFailedIndexes": 1}},
            "gave up: indexes 1,3 failed, maxFailedIndexes is 1",
        ),
        ("Strange something else", {}, "something else"),
    ],
)
def test_each_failure_of_a_job_is_reported(reason: str, more: Any, text: str) -> None:
    told = diagnosis(job(conditions=conditions(Failed=f"True {reason}"), **more))
    assert found(told, "condition/Failed") == (Verdict.FAILING, text)


def test_a_success_policy_is_named() -> None:
    why = "True SuccessPolicy Matched rules at index 0"
    told = diagnosis(job(conditions=conditions(Complete=why, SuccessCriteriaMet=why)))
    assert (told.phase, told.verdict) == ("Complete", Verdict.OK)
    assert texts(told) == [
        "enough has succeeded by its successPolicy: Matched rules at index 0"
    ]


def test_a_failure_does_not_count_while_the_job_gets_on() -> None:
    told = diagnosis(job(succeeded=1, failed=1), failed_pod("copy-1", 137, "OOMKilled"))
    assert told.verdict is Verdict.WAITING
    assert told.summary == "1 of 3 succeeded, 2 active, 1 failed"
    assert texts(told, "failures") == [
        "1 Pod failed: container main: OOMKilled, exit code 137; it gives up after"
        " 7 failures (backoffLimit 6)"
    ]
    assert [each.counts for each in told.children or ()] == [False]


def test_failures_are_counted_by_their_cause() -> None:
    pods = [failed_pod(f"copy-{n}", code) for n, code in enumerate((1, 2, 2, 3))]
    told = diagnosis(job(failed=4), *pods)
    assert texts(told, "failures")[0].startswith(
        "4 Pods failed: container main: exit code 2 (2 Pods); "
        "container main: exit code 1; and others"
    )


def test_an_indexed_job_names_its_indexes() -> None:
    annotation = "batch.kubernetes.io/job-completion-index"
    pods = [
        failed_pod(f"copy-{n}-x", 1, annotations={annotation: n})
        for n in ("10", "2", "junk")
    ]
    spec = {"completionMode": "Indexed", "backoffLimitPerIndex": 1}
    told = diagnosis(
        job(spec=spec, completedIndexes="0-1", failedIndexes="2", succeeded=2), *pods
    )
    assert [each.role for each in told.children or ()] == ["", "index 2", "index 10"]
    assert texts(told, "indexes") == ["indexes done: 0-1; indexes failed for good: 2"]
    assert "each index may fail once and be tried again" in texts(told, "failures")[0]


def test_a_suspended_job_says_how_to_resume_it() -> None:
    told = diagnosis(
        job(spec={"suspend": True}, active=0, conditions=conditions(Suspended="True"))
    )
    assert (told.phase, told.verdict) == ("Suspended", Verdict.WAITING)
    assert told.findings[-1].remedy == (
        "kubectl patch job/copy --type=merge -p "
        """'{"spec":{"suspend":false}}' -n shop"""
    )


def test_a_job_that_was_just_resumed_is_not_called_suspended() -> None:
    suspended = conditions(Suspended="True")
    told = diagnosis(job(spec={"suspend": False}, active=0, conditions=suspended))
    assert told.phase == "Waiting"
    assert not [text for text in texts(told) if "suspended" in text]


def test_limits_of_a_job_are_shown_as_times() -> None:
    told = diagnosis(job(spec={"activeDeadlineSeconds": 90}))
    assert texts(told) == [
        "fails if it runs until 2026-11-21T15:01:30Z (activeDeadlineSeconds 90)"
    ]
    done = job(
        spec={"ttlSecondsAfterFinished": 60},
        completionTime=CREATED,
        conditions=conditions(Complete="True CompletionsReached"),
    )
    assert texts(diagnosis(done), "ttl") == [
        "is deleted at 2026-11-21T15:01:00Z (ttlSecondsAfterFinished 60)"
    ]


def test_a_work_queue_has_no_number_to_reach() -> None:
    queue = workload("Job", "copy", spec={"parallelism": 5}, startTime=CREATED)
    assert diagnosis(queue).summary == "0 succeeded"


def test_a_refusal_is_reported_while_pods_are_missing() -> None:
    refused = reported(
        "FailedCreate", 'Error creating: Pod "x" is invalid: bad', about="copy"
    )
    told = diagnosis(job(active=0), refused)
    assert texts(told, "creation") == ["cannot create Pods: invalid: bad"]
    assert texts(diagnosis(job(active=2), refused), "creation") == []


def test_another_manager_is_named() -> None:
    told = diagnosis(job(spec={"managedBy": "kueue.x-k8s.io/multikueue"}))
    assert "managed by kueue.x-k8s.io/multikueue, not by Kubernetes" in texts(told)


def test_a_long_list_of_indexes_is_cut_between_two_of_them() -> None:
    many = ",".join(map(str, range(0, 1000, 2)))
    (text,) = texts(diagnosis(job(completedIndexes=many)), "indexes")
    assert text.endswith(", 40, …".replace(" 40", "40"))
    assert len(text) < 90


def test_a_job_of_a_cron_job_is_mended_there() -> None:
    failed = job(
        spec={"ttlSecondsAfterFinished": 60},
        failed=1,
        conditions=conditions(Failed="True BackoffLimitExceeded x"),
    )
    owner = {"kind": "CronJob", "name": "nightly", "uid": "nightly"}
    failed["metadata"]["ownerReferences"] = [owner, {"kind": "Other", "uid": "x"}]
    told = diagnosis(failed)
    assert told.findings[0].remedy == (
        "fix the cause; if it is in the template: kubectl edit cronjob/nightly -n shop"
    )
    assert texts(told, "ttl") == [
        "is deleted at 2026-11-21T15:01:00Z (ttlSecondsAfterFinished 60)"
    ]


def test_a_job_whose_pods_are_gone_has_no_logs_to_look_at() -> None:
    told = diagnosis(job(active=0, failed=1))
    assert (told.phase, told.findings[0].remedy) == ("Retrying", "")
    assert diagnosis(job(active=0)).phase == "Starting"


def test_another_success_shows_the_servers_words() -> None:
    told = diagnosis(job(conditions=conditions(Complete="True Odd all is well")))
    assert texts(told) == ["all is well"]


def test_an_owner_that_is_no_cron_job_changes_nothing() -> None:
    failed = job(conditions=conditions(Failed="True BackoffLimitExceeded x"))
    failed["metadata"]["ownerReferences"] = [{"kind": "Other", "uid": "x"}]
    assert diagnosis(failed).findings[0].remedy.startswith("fix the cause, delete")
    suspended = workload("Job", "copy", spec={"suspend": True})
    assert diagnosis(suspended).phase == "Suspended"


def test_a_job_of_no_parallelism_says_that_it_makes_no_pods() -> None:
    spec = {"parallelism": 0, "completions": 1}
    told = diagnosis(workload("Job", "web", spec=spec, startTime=CREATED))
    assert (told.phase, told.verdict) == ("Paused", Verdict.WAITING)
    assert texts(told, "progress") == [
        "parallelism is 0: no Pods are created until it is raised"
    ]


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
    entry = seen.entry("web")
    assert entry is not None
    told = diagnose(entry, seen)
    assert texts(told, "failures") == ["1 Pod failed: container m: exit code 7"]
    # Who looks later has nothing left to see.
    told = diagnosis(job)
    assert texts(told, "failures") == [
        "1 Pod failed; it was deleted with its exit code and its logs"
    ]
    (finding,) = [each for each in told.findings if each.about == "failures"]
    assert finding.remedy.startswith("restartPolicy Never keeps Pods")
