"""Which containers failed so that their log is worth reading, and which to read."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import ContainerRun
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs, to_read
from tests.builders import STARTED, a_pod, container, over, running, waiting
from tests.tracing import entry_of, inventory

FAILED = over(3, containerID="containerd://1")
BACK_OFF = waiting("CrashLoopBackOff")
DELETED = {"deletionTimestamp": STARTED}
NEVER = {"restartPolicy": "Never"}


def runs(pod: dict[str, Any]) -> tuple[FailedRun, ...]:
    seen = inventory(pod)
    entry = entry_of(seen, pod["metadata"]["uid"])
    return failed_runs(entry, seen)


@pytest.mark.parametrize(
    ("state", "last", "more", "previous"),
    [
        (BACK_OFF, FAILED, {}, True),
        (BACK_OFF, over(0, "Completed", containerID="c://1"), {}, True),
        (running(startedAt="2026-11-21T15:01:01Z"), FAILED, {}, True),
        ({"terminated": FAILED}, None, {"spec": NEVER}, False),
        ({"terminated": FAILED}, None, {"phase": "Failed"}, False),
        ({"terminated": over(137, "OOMKilled", containerID="c")}, None, NEVER, False),
    ],
)
def test_the_log_of_a_failed_run_is_the_previous_one_if_a_new_run_follows(
    state: dict[str, Any],
    last: dict[str, Any] | None,
    more: dict[str, Any],
    previous: bool,
) -> None:
    if more is NEVER:
        more = {"spec": NEVER}
    (run,) = runs(a_pod(container(state=state, last=last), **more))
    assert run.of[:4] == ("pod-uid", "shop", "web-0", "app")
    assert (run.about, run.previous) == ("container/app", previous)


@pytest.mark.parametrize(
    ("state", "last", "more"),
    [
        (running(), None, {}),
        (running(startedAt="2026-11-21T14:50:00Z"), FAILED, {}),  # long ago
        (running(), over(0, "Completed", containerID="c"), {}),
        ({"terminated": FAILED}, None, {}),  # the next run begins at any moment
        ({"terminated": over(0, containerID="c")}, None, {"phase": "Succeeded"}),
        (BACK_OFF, over(3), {}),  # the kubelet has no log without an ID
        (BACK_OFF, over(128, "StartError", containerID="c"), {}),
        (BACK_OFF, over(137, "ContainerStatusUnknown", containerID="c"), {}),
        (waiting("ImagePullBackOff"), FAILED, {}),
        (BACK_OFF, FAILED, {"metadata": DELETED}),
        (None, None, {}),
    ],
)
def test_logs_are_read_of_failures_only(
    state: dict[str, Any] | None, last: dict[str, Any] | None, more: dict[str, Any]
) -> None:
    assert runs(a_pod(container(state=state, last=last), **more)) == ()


def test_init_containers_fail_as_well() -> None:
    init = container("setup", BACK_OFF, last=FAILED)
    (run,) = runs(a_pod(container(), init=(init,), phase="Pending"))
    assert run.about == "init/setup"


def a_run(pod: int, owner: str = "rs", code: int = 1) -> FailedRun:
    kind = (owner, "app", code, "Error")
    run = ContainerRun(f"u{pod}", "shop", f"p{pod}", "app", f"c{pod}")
    return FailedRun(run, "container/app", True, kind)


def test_equal_failures_read_one_log() -> None:
    alike = [a_run(1), a_run(2), a_run(3)]
    assert to_read(alike, ()) == [a_run(1)]
    assert to_read(alike, {"c1"}) == []
    # The first Pod is gone: another one stands for those that are left.
    assert to_read(alike[1:], {"c1"}) == [a_run(2)]


def test_other_failures_read_up_to_ten_logs() -> None:
    some = [a_run(1), a_run(2, code=2), a_run(3, "other")]
    assert to_read(some, ()) == some
    many = [a_run(number, f"rs-{number}") for number in range(30)]
    assert to_read(many, ()) == many[:10]
