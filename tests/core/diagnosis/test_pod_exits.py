"""How containers ended, and whether they are started again."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    APP,
    READY,
    UNREADY,
    a_pod,
    container,
    over,
    reported,
    running,
    waiting,
)
from tests.tracing import diagnosis, found

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING


def told(result: Diagnosis, about: str = "container/app") -> Finding:
    (finding,) = [each for each in result.findings if each.about == about]
    return finding


@pytest.mark.parametrize(
    ("terminated", "text"),
    [
        (over(1), "exited with 1 (Error)"),
        ({"exitCode": 1}, "exited with 1"),
        (
            over(1, message="starting\npanic: no database\n"),
            "exited with 1 (Error): panic: no database",
        ),
        (over(126), "exited with 126 (Error): command not executable"),
        (over(127), "exited with 127 (Error): command not found"),
        (over(130), "exited with 130 (Error): SIGINT"),
        (over(137), "exited with 137 (Error): SIGKILL"),
        (
            over(139),
            "exited with 139 (Error): segmentation fault (SIGSEGV)",
        ),
        (over(143), "exited with 143 (Error): SIGTERM"),
        (over(137, "", signal=9), "killed by signal SIGKILL"),
        (
            over(128, "StartError", message='unable to start: exec: "x": not found'),
            'could not be started: unable to start: exec: "x": not found',
        ),
        (
            over(137, "ContainerStatusUnknown"),
            "ContainerStatusUnknown: the node lost track of it",
        ),
        (
            over(137, "OOMKilled"),
            "OOMKilled (no limit: the node ran out of memory)",
        ),
    ],
)
def test_ends_of_containers_are_explained(
    terminated: dict[str, Any], text: str
) -> None:
    app = container(state={"terminated": terminated})
    finding = told(diagnosis(a_pod(app, conditions=UNREADY)))
    assert text_of(finding) == f"{text}; will restart"
    assert finding.verdict is FAILING and not finding.final


def test_the_limit_of_the_whole_pod_is_named_if_the_container_has_none() -> None:
    app = container(state={"terminated": over(137, "OOMKilled")})
    pod = a_pod(app, spec={"resources": {"limits": {"memory": "1Gi"}}})
    assert "limit of the Pod 1Gi" in text_of(told(diagnosis(pod)))


@pytest.mark.parametrize(
    ("pod_policy", "own_policy", "code", "again"),
    [
        ("Always", "", 1, True),
        ("OnFailure", "", 1, True),
        ("Never", "", 1, False),
        ("Never", "Always", 1, True),
        ("Always", "Never", 1, False),
    ],
)
def test_whether_it_is_restarted_depends_on_the_policy_that_holds(
    pod_policy: str, own_policy: str, code: int, again: bool
) -> None:
    own: dict[str, Any] = {"restartPolicy": own_policy} if own_policy else {}
    app = container(state={"terminated": over(code)}, **own)
    finding = told(diagnosis(a_pod(app, spec={"restartPolicy": pod_policy})))
    assert ("will restart" in text_of(finding)) is again
    assert finding.final is not again


def test_a_service_that_exits_0_should_not_end() -> None:
    app = container(state={"terminated": over(0, "Completed")})
    assert found(diagnosis(a_pod(app)), "container/app") == (
        WAITING,
        "exited with 0 (Completed); restartPolicy Always starts it again",
    )
    twice = container(state={"terminated": over(0, "Completed")}, restarts=1)
    finding = told(diagnosis(a_pod(twice)))
    assert finding.verdict is FAILING
    assert finding.remedy == BELONGS_IN_A_JOB
    again = container(
        state=waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container"),
        last=over(0, "Completed"),
        restarts=7,
    )
    assert found(diagnosis(a_pod(again)), "container/app") == (
        FAILING,
        "CrashLoopBackOff: it completes (exit code 0), and restartPolicy is Always, "
        "7 restarts, back-off 5m0s",
    )
    assert told(diagnosis(a_pod(again))).remedy == BELONGS_IN_A_JOB
    # The time of these tests is 15:04:05.
    between = container(
        state=running(startedAt="2026-11-21T15:04:00Z"),
        last=over(0, "Completed", startedAt="2026-11-21T15:00:50Z"),
        ready=True,
        restarts=2,
    )
    finding = told(diagnosis(a_pod(between, conditions=READY)))
    assert (finding.verdict, finding.remedy) == (WAITING, BELONGS_IN_A_JOB)
    between["status"]["ready"] = False
    finding = told(diagnosis(a_pod(between, conditions=UNREADY)))
    assert (finding.verdict, finding.remedy) == (WAITING, BELONGS_IN_A_JOB)


BELONGS_IN_A_JOB = "let it run on, or use a Job: a command that ends belongs in a Job"


def between_two_runs(
    started: str, *, ready: bool = True, restarts: int = 2, **last: str
) -> Diagnosis:
    app = container(
        state=running(startedAt=f"2026-11-21T{started}Z"),
        last=over(3, **{name: f"2026-11-21T{at}Z" for name, at in last.items()}),
        ready=ready,
        restarts=restarts,
    )
    now = {"lastTransitionTime": "2026-11-21T15:04:05Z"}
    conditions = READY if ready else UNREADY
    shown = {kind: {"status": each, **now} for kind, each in conditions.items()}
    return diagnosis(a_pod(app, conditions=shown))


@pytest.mark.parametrize("ready", [True, False])
@pytest.mark.parametrize(
    ("started", "ended", "settled"),
    [
        ("15:04:00", "15:00:05", False),
        # Runs of 60 seconds: the next end is due.
        ("15:03:00", "15:01:00", False),
        ("15:02:00", "15:01:00", False),
        # Twice as long as the last time, and 10 seconds.
        ("15:03:44", "15:00:05", True),
        ("15:01:54", "15:01:00", True),
    ],
)
def test_a_pod_between_two_runs_of_a_crash_loop_is_not_fine(
    started: str, ended: str, settled: bool, ready: bool
) -> None:
    result = between_two_runs(
        started, startedAt="15:00:00", finishedAt=ended, ready=ready
    )
    assert result.verdict is (OK if settled and ready else WAITING)
    assert text_of(told(result)).endswith("; it may end again") is not settled
    assert "--previous" in told(result).remedy or (settled and not ready)


def test_a_restart_after_a_long_run_is_no_crash_loop() -> None:
    result = between_two_runs("15:04:00", startedAt="14:00:00", finishedAt="15:03:59")
    assert (result.verdict, told(result).verdict) == (OK, OK)


@pytest.mark.parametrize("policy", ["Always", "OnFailure", "Never"])
def test_containers_name_the_failure_of_their_pod(policy: str) -> None:
    app = container(state={"terminated": over(137)})
    pod = a_pod(
        app,
        phase="Failed",
        spec={"restartPolicy": policy},
        reason="DeadlineExceeded",
        message="Pod was active on the node",
    )
    assert text_of(told(diagnosis(pod))) == (
        "exited with 137 (Error): SIGKILL; no restart, the Pod has failed: "
        "DeadlineExceeded (activeDeadlineSeconds)"
    )


def test_a_failed_pod_that_would_restart_its_containers_names_no_policy() -> None:
    app = container(state={"terminated": over(1)})
    pod = a_pod(app, phase="Failed", spec={"restartPolicy": "Always"})
    assert text_of(told(diagnosis(pod))).endswith("no restart, the Pod has failed")
    target = {"status": "True", "reason": "DeletionByTaintManager"}
    pod = a_pod(app, phase="Failed", conditions={"DisruptionTarget": target})
    assert text_of(told(diagnosis(pod))).endswith(
        "evicted for a NoExecute taint of its node"
    )


def test_a_failed_init_container_of_a_pod_that_is_never_restarted_is_final() -> None:
    setup = container("setup", {"terminated": over(2)})
    app = container(state=waiting("PodInitializing"))
    pod = a_pod(app, init=(setup,), phase="Failed", spec={"restartPolicy": "Never"})
    result = diagnosis(pod)
    assert (result.phase, result.verdict, result.final) == ("Init:Error", FAILING, True)
    assert told(result, "init/setup").final


def test_a_sidecar_is_named_and_its_dependents_left_out() -> None:
    proxy = container("proxy", running(), restartPolicy="Always", started=False)
    app = container(state=waiting("PodInitializing"))
    result = diagnosis(a_pod(app, init=(proxy,), phase="Pending", conditions=UNREADY))
    assert result.phase == "Init:0/1" and result.summary.startswith("0/2 ready")
    assert [each.about for each in result.findings] == ["sidecar/proxy"]


def test_a_run_ended_by_a_hook_says_so() -> None:
    app = container(state=waiting("CrashLoopBackOff"), last=over(137), restarts=1)
    hook = reported("FailedPostStartHook", "PostStartHook failed", field=APP)
    finding = told(diagnosis(a_pod(app), hook))
    assert text_of(finding) == (
        "CrashLoopBackOff: killed, its postStart hook failed (exit code 137), 1 restart"
    )
    assert finding.remedy == "check lifecycle.postStart of container app"


def test_a_crash_loop_is_reported_without_an_exit_code() -> None:
    app = container(state=waiting("CrashLoopBackOff"), restarts=3)
    assert found(diagnosis(a_pod(app)), "container/app") == (
        FAILING,
        "CrashLoopBackOff, 3 restarts",
    )


def test_a_container_whose_last_end_is_not_known_says_that_it_was_restarted() -> None:
    app = container(state=running(), ready=True, restarts=1)
    assert found(diagnosis(a_pod(app)), "container/app") == (
        OK,
        "running, ready; 1 restart",
    )


def test_a_kill_without_a_time_or_of_another_run_explains_nothing() -> None:
    message = "Container app failed liveness probe, will be restarted"
    app = container(state={"terminated": over(1)})
    for first in ("", "2026-11-21T15:02:00Z"):
        killing = reported("Killing", message, field=APP, first=first)
        assert "exited with 1" in text_of(told(diagnosis(a_pod(app), killing)))
    stopping = reported("Killing", "Stopping container app", field=APP)
    assert "exited with 1" in text_of(told(diagnosis(a_pod(app), stopping)))


@pytest.mark.parametrize("probe", ["liveness", "startup"])
@pytest.mark.parametrize(
    ("asks", "answer", "remedy"),
    [
        (
            {"httpGet": {"port": 80, "path": "/helath"}},
            "HTTP probe failed with statuscode: 404",
            "it answered HTTP 404: correct the path of the probe, or serve it: ",
        ),
        (
            {"httpGet": {"port": 80}},
            "HTTP probe failed with statuscode: 503",
            "see why it answered HTTP 503: ",
        ),
        (
            {"httpGet": {"port": 81}},
            'Get "http://10.0.0.3:81/": dial tcp 10.0.0.3:81: connect: connection '
            "refused",
            "nothing listened: correct the port, or loosen the probe: ",
        ),
        (
            {"httpGet": {"port": 80}},
            'Get "http://10.0.0.3:80/": context deadline exceeded',
            "see why it did not answer, or loosen the probe: ",
        ),
        (
            {"exec": {"command": ["cat", "/tmp/ok"]}},
            "cat: can't open '/tmp/ok': No such file or directory",
            "see why the command of the probe fails: ",
        ),
    ],
)
def test_the_remedy_for_a_probe_goes_by_what_it_was_answered(
    probe: str, asks: dict[str, Any], answer: str, remedy: str
) -> None:
    app = container(state={"terminated": over(137)})
    app["spec"][f"{probe}Probe"] = asks
    killing = reported("Killing", f"Container app failed {probe} probe", field=APP)
    unhealthy = f"{probe.title()} probe failed: {answer}"
    failing = reported("Unhealthy", unhealthy, field=APP)
    finding = told(diagnosis(a_pod(app), failing, killing))
    assert text_of(finding).startswith(f"killed, its {probe} probe failed")
    assert finding.remedy == f"{remedy}kubectl logs web-0 -c app -n shop"


def test_a_remedy_quotes_what_a_shell_would_read() -> None:
    app = container("$(reboot)", {"terminated": over(1)})
    finding = told(diagnosis(a_pod(app)), "container/$(reboot)")
    assert finding.remedy == "kubectl logs web-0 -c '$(reboot)' -n shop"
