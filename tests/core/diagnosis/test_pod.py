"""What is said of the recorded Pods, moment by moment."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.render.findings import text as text_of
from tests.tracing import found, recorded_pictures, recorded_trace

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING

STREAMS = (
    ("pod-boot", "nginx"),
    ("pod-bad-image", "nginx"),
    ("pod-crashloop", "crasher"),
    ("pod-oom-liveness", "hog"),
    ("pod-oom-liveness", "sick"),
    ("pod-oom-liveness", "badinit"),
    ("pod-bad-volume", "novol"),
    ("pod-bad-volume", "nosched"),
    ("pod-bad-volume", "multi"),
    ("recreate", "same"),
    ("workloads", "db-0"),
    ("workloads", "failing-dhvfk"),
    ("workloads", "migrate-8g8lv"),
    ("deploy-rollout", "nginx-865d967699-h6xfw"),
)


def at(stream: str, name: str, time: float) -> Node:
    (node,) = recorded_trace(stream, f"Pod/{name}", time).picture().roots
    return node


def remedy(node: Node, about: str) -> str:
    (told,) = [each.remedy for each in node.findings if each.about == about]
    return told


@pytest.mark.parametrize(
    ("stream", "name", "time", "phase", "verdict", "summary"),
    [
        ("pod-boot", "nginx", 2.045, "Pending", WAITING, "0/1 ready"),
        ("pod-boot", "nginx", 2.1, "ContainerCreating", WAITING, "0/1 ready, on node1"),
        ("pod-boot", "nginx", 5, "Running", OK, "1/1 ready, on node1"),
        ("pod-boot", "nginx", 9, "Terminating", WAITING, "1/1 ready, on node1"),
        ("pod-boot", "nginx", 10.5, "Error", WAITING, "on node1"),
        ("pod-bad-image", "nginx", 5, "ErrImagePull", FAILING, "0/1 ready, on node1"),
        ("pod-bad-image", "nginx", 20, "ImagePullBackOff", FAILING, None),
        ("pod-bad-image", "nginx", 48, "Running", OK, "1/1 ready, on node1"),
        ("pod-crashloop", "crasher", 4, "Error", FAILING, "0/1 ready, on node1"),
        ("pod-crashloop", "crasher", 40.45, "CrashLoopBackOff", FAILING, None),
        ("pod-crashloop", "crasher", 41, "Running", WAITING, None),
        (
            "pod-oom-liveness",
            "hog",
            5,
            "Running",
            WAITING,
            "1/1 ready, 1 restart, on node1",
        ),
        ("pod-oom-liveness", "hog", 22, "OOMKilled", FAILING, None),
        ("pod-oom-liveness", "badinit", 2.5, "Init:0/1", WAITING, None),
        ("pod-oom-liveness", "badinit", 4, "Init:Error", FAILING, None),
        ("pod-oom-liveness", "badinit", 17.35, "Init:CrashLoopBackOff", FAILING, None),
        ("pod-bad-volume", "nosched", 9, "Pending", WAITING, "0/1 ready"),
        ("pod-bad-volume", "novol", 9, "ContainerCreating", FAILING, None),
        ("pod-bad-volume", "multi", 4.7, "PodInitializing", WAITING, None),
        ("pod-bad-volume", "multi", 5, "Running", OK, "2/2 ready, on node1"),
        ("pod-bad-volume", "multi", 8.7, "Error", FAILING, "1/2 ready, on node1"),
        ("workloads", "failing-dhvfk", 15, "Error", FAILING, "on node1"),
        ("workloads", "migrate-8g8lv", 10, "Completed", OK, "on node1"),
        ("workloads", "db-0", 2.6, "Running", WAITING, "0/1 ready, on node1"),
    ],
)
def test_phase_verdict_and_summary_are_those_of_the_moment(
    stream: str,
    name: str,
    time: float,
    phase: str,
    verdict: Verdict,
    summary: str | None,
) -> None:
    node = at(stream, name, time)
    assert (node.phase, node.verdict) == (phase, verdict)
    assert summary in (None, node.summary)


def test_a_pod_goes_through_scheduler_kubelet_and_creation() -> None:
    told = [
        found(at("pod-boot", "nginx", time), about)
        for time, about in (
            (2.045, "scheduling"),
            (2.055, "kubelet"),
            (2.1, "container/nginx"),
            (5, "container/nginx"),
        )
    ]
    assert told == [
        (WAITING, "waits for the scheduler"),
        (WAITING, "bound to node1, whose kubelet has not taken it up yet"),
        (WAITING, "waits to be created"),
        (OK, "running, ready"),
    ]


def test_a_deleted_pod_is_no_failure_however_its_container_ends() -> None:
    node = at("pod-boot", "nginx", 10.5)
    assert found(node, "deletion") == (WAITING, "being deleted")
    assert found(node, "container/nginx") == (
        OK,
        "killed: it did not stop within its grace period",
    )
    assert not node.final


def test_both_states_of_a_failed_pull_read_alike() -> None:
    for time in (2.19, 5, 20, 40, 46):
        node = at("pod-bad-image", "nginx", time)
        assert found(node, "container/nginx") == (
            FAILING,
            "cannot pull image nginx:nonsense: the node cannot resolve the registry's "
            "host registry-1.docker.io",
        )


def test_a_running_pull_is_known_from_its_event() -> None:
    assert found(at("pod-bad-image", "nginx", 2.175), "container/nginx") == (
        WAITING,
        "pulling image nginx:nonsense",
    )


def test_a_crash_loop_shows_exit_code_restarts_and_pause() -> None:
    node = at("pod-crashloop", "crasher", 40.45)
    assert found(node, "container/crasher") == (
        FAILING,
        "fails again and again: exited with 3 (Error); restarted 2 times, "
        "waits 20s before the next start",
    )
    assert remedy(node, "container/crasher") == (
        "kubectl logs crasher -c crasher --previous -n pod-crashloop"
    )


def test_a_container_that_runs_again_says_why_it_was_restarted() -> None:
    assert found(at("pod-crashloop", "crasher", 41), "container/crasher") == (
        WAITING,
        "running, ready; restarted 3 times, the last time it exited with 3 (Error); it "
        "may end again",
    )


def test_a_just_ended_container_has_current_logs() -> None:
    node = at("pod-crashloop", "crasher", 43)
    assert found(node, "container/crasher") == (
        FAILING,
        "exited with 3 (Error), will be restarted; restarted 3 times before",
    )
    assert "--previous" not in remedy(node, "container/crasher")


def test_an_out_of_memory_kill_shows_the_limit() -> None:
    node = at("pod-oom-liveness", "hog", 44.34)
    _, told = found(node, "container/hog")
    assert "ran out of memory (OOMKilled), its limit is 24Mi" in told
    assert remedy(node, "container/hog").startswith("raise resources.limits.memory")


def test_a_liveness_probe_that_fails_waits_until_the_kubelet_gives_up() -> None:
    about = "probe/sick/liveness"
    failed = (
        "liveness probe (exec cat /tmp/ok) failed: "
        "cat: can't open '/tmp/ok': No such file or directory"
    )
    first, given_up = (at("pod-oom-liveness", "sick", time) for time in (10.2, 13))
    assert (first.verdict, found(first, about)) == (OK, (WAITING, failed))
    assert given_up.verdict is FAILING
    assert found(given_up, about) == (
        FAILING,
        failed + "; the container is being restarted for it",
    )
    started_again = at("pod-oom-liveness", "sick", 15)
    assert [each.about for each in started_again.findings] == ["container/sick"]


@pytest.mark.parametrize("time", [15, 25, 27, 40, 49])
def test_a_kill_for_a_probe_stays_one_while_more_of_them_follow(time: float) -> None:
    _, told = found(at("pod-oom-liveness", "sick", time), "container/sick")
    assert "the last time it was killed because its liveness probe failed" in told


def test_a_missing_config_map_is_named_until_it_is_there() -> None:
    node = at("pod-bad-volume", "novol", 20)
    assert found(node, "volume/cfg") == (FAILING, "ConfigMap missing does not exist")
    assert remedy(node, "volume/cfg") == (
        "create ConfigMap missing in namespace pod-bad-volume"
    )
    running = at("pod-bad-volume", "novol", 35)
    assert [each.about for each in running.findings] == ["container/c"]


def test_an_unschedulable_pod_waits_for_the_reason_that_the_scheduler_gives() -> None:
    node = at("pod-bad-volume", "nosched", 9)
    assert found(node, "scheduling") == (
        WAITING,
        "the only node does not fit: didn't match Pod's node affinity/selector",
    )
    assert remedy(node, "scheduling").endswith("kubectl get nodes -l disk=ssd")


def test_only_init_containers_count_while_initializing() -> None:
    for time, told in ((2.3, "waits to be created"), (3, "running")):
        node = at("pod-bad-volume", "multi", time)
        assert [(each.about, text_of(each)) for each in node.findings] == [
            ("init/prep", f"init container prep: {told}")
        ]
    later = at("pod-bad-volume", "multi", 5)
    assert [each.about for each in later.findings] == [
        "container/good",
        "container/bad",
    ]


def test_a_pod_that_is_never_restarted_is_final_when_it_ended() -> None:
    failed = at("workloads", "failing-dhvfk", 16)
    # The Pod is over; the Job may try again.
    assert failed.final and not any(each.final for each in failed.findings)
    assert found(failed, "container/m") == (
        FAILING,
        "exited with 7 (Error); it is not restarted (restartPolicy Never)",
    )
    done = at("workloads", "migrate-8g8lv", 10)
    assert done.final and found(done, "container/m") == (OK, "completed")


def test_a_container_waits_for_its_readiness_probe() -> None:
    assert found(at("workloads", "db-0", 2.6), "container/db") == (
        WAITING,
        "running, not ready: its readiness probe (exec true) has not passed",
    )


def column(pod: dict[str, Any]) -> str:
    """Return the STATUS of a Pod with one container, from the table of states alone."""
    if pod["metadata"].get("deletionTimestamp") and pod["status"]["phase"] not in (
        "Succeeded",
        "Failed",
    ):
        return "Terminating"
    for init in pod["status"].get("initContainerStatuses", []):
        (kind, state), *_ = init["state"].items()
        if kind == "running" or state.get("reason") == "PodInitializing":
            return "Init:0/1"
        if state.get("exitCode") != 0:
            return f"Init:{state['reason']}"
    for status in pod["status"].get("containerStatuses", []):
        (kind, state), *_ = status["state"].items()
        return str(state.get("reason", "Running"))
    return str(pod["status"]["phase"])


@pytest.mark.parametrize(("stream", "name"), STREAMS)
def test_recorded_pods_have_kubectls_status(stream: str, name: str) -> None:
    versions = 0
    for trace, picture in recorded_pictures(stream, f"Pod/{name}"):
        for node in picture.roots:
            entry = trace.seen.entry(node.uid)
            assert entry is not None
            if len(entry.document["spec"]["containers"]) == 1:
                versions += 1
                assert node.phase == column(entry.document)
    assert versions or name == "multi"


@pytest.mark.parametrize(("stream", "name"), STREAMS)
def test_every_line_is_one_short_line_without_a_time(stream: str, name: str) -> None:
    for _, picture in recorded_pictures(stream, f"Pod/{name}"):
        for node in picture.roots:
            abouts = [each.about for each in node.findings]
            assert len(set(abouts)) == len(abouts)
            for each in node.findings:
                assert "\n" not in text_of(each) + each.remedy
                assert 0 < len(text_of(each)) < 250
                assert "2026" not in text_of(each)
                assert each.verdict is not FAILING or each.remedy
