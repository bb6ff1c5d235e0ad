"""What is said of the recorded Pods, at moments that no golden file shows."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.render.findings import text as text_of
from tests.core.diagnosis.cases import line
from tests.tracing import recorded_pictures, recorded_trace

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


NOT_FOUND = "answer=cat: can't open '/tmp/ok': No such file or directory"
QUESTION = "probe=liveness question=exec cat /tmp/ok"
KILLED = "restarts=(Restarted times={} why=(KilledForProbe exit=137 probe=liveness))"
SICK = f"container/sick: waiting ContainerReady again {KILLED}"
RAISE = "raise resources.limits.memory of container hog, or let it use less: "


@pytest.mark.parametrize(
    ("stream", "name", "time", "told", "remedy"),
    [
        ("pod-boot", "nginx", 2.045, "scheduling: WaitsForScheduler", ""),
        ("pod-boot", "nginx", 2.055, "kubelet: KubeletSilent node=node1", ""),
        ("pod-boot", "nginx", 2.1, "container/nginx: ContainerCreating", ""),
        ("pod-boot", "nginx", 5, "container/nginx: ContainerReady", ""),
        # A deleted Pod is no failure however its container ends.
        ("pod-boot", "nginx", 10.5, "deletion: PodDeleting", ""),
        ("pod-boot", "nginx", 10.5, "container/nginx: KilledAfterGrace", ""),
        # A running pull is known from its Event.
        (
            *("pod-bad-image", "nginx", 2.175),
            *("container/nginx: PullingImage image=nginx:nonsense", ""),
        ),
        (
            *("pod-oom-liveness", "hog", 44.34),
            "container/hog: CrashLoop times=2 wait=20s why=(OutOfMemory limit=24Mi)",
            f"{RAISE}kubectl logs hog -c hog --previous -n pod-oom-liveness",
        ),
        # A liveness probe that fails waits until the kubelet gives up.
        (
            *("pod-oom-liveness", "sick", 10.2),
            f"probe/sick/liveness: waiting ProbeFailed {NOT_FOUND} {QUESTION}",
            "kubectl logs sick -c sick -n pod-oom-liveness",
        ),
        (
            *("pod-oom-liveness", "sick", 13),
            f"probe/sick/liveness: ProbeFailed {NOT_FOUND} {QUESTION} restarting",
            "kubectl logs sick -c sick -n pod-oom-liveness",
        ),
        # A kill for a probe stays one while more of them follow.
        *(
            (
                *("pod-oom-liveness", "sick", time, SICK.format(times)),
                "see why the command of the probe fails: kubectl logs sick -c sick"
                " --previous -n pod-oom-liveness",
            )
            for time, times in ((27, 2), (40, 3), (49, 3))
        ),
        ("workloads", "migrate-8g8lv", 10, "container/m: ContainerCompleted", ""),
        (
            *("workloads", "db-0", 2.6),
            "container/db: ContainerNotReady probe=readiness question=exec true",
            "kubectl logs db-0 -c db -n workloads",
        ),
    ],
)
def test_findings_are_those_of_the_moment(
    stream: str, name: str, time: float, told: str, remedy: str
) -> None:
    found = {line(each): each.remedy for each in at(stream, name, time).findings}
    assert found.get(told) == remedy, found


@pytest.mark.parametrize(
    ("stream", "name", "time", "abouts"),
    [
        ("pod-oom-liveness", "sick", 15, ["container/sick"]),
        ("pod-bad-volume", "novol", 35, ["container/c"]),
        # Only init containers count while they run.
        ("pod-bad-volume", "multi", 2.3, ["init/prep"]),
        ("pod-bad-volume", "multi", 3, ["init/prep"]),
        ("pod-bad-volume", "multi", 5, ["container/good", "container/bad"]),
    ],
)
def test_what_is_over_is_not_said_any_more(
    stream: str, name: str, time: float, abouts: list[str]
) -> None:
    assert [each.about for each in at(stream, name, time).findings] == abouts


@pytest.mark.parametrize(
    ("stream", "name", "time", "final"),
    [
        ("pod-boot", "nginx", 10.5, False),
        # The Pod is over; the Job may try again.
        ("workloads", "failing-dhvfk", 16, True),
        ("workloads", "migrate-8g8lv", 10, True),
    ],
)
def test_a_pod_is_final_when_it_is_over(
    stream: str, name: str, time: float, final: bool
) -> None:
    node = at(stream, name, time)
    assert node.final is final
    assert not any(each.final for each in node.findings)


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
