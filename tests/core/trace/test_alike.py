"""Failures are alike if they differ in nothing that a person would act on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.trace.failing import groups
from kubectl_spy.core.trace.narration import Narration, News
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.reason import Reason, deepest_cause
from kubectl_spy.render.findings import text as text_of
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from tests.core.trace.test_narration import POD, pod
from tests.findings import saying
from tests.tracing import START


def failing(name: str, *texts: str) -> Node:
    """Return a Pod that fails as *texts* say."""
    found = tuple(saying("container/app", Verdict.FAILING, each) for each in texts)
    return pod(name)._replace(verdict=Verdict.FAILING, findings=found)


def of(pods: Sequence[Node]) -> Node:
    """Return a root with *pods* below it."""
    return Node("uid-web", POD, "web", "web", "Failing", Verdict.FAILING, "")._replace(
        children=tuple(pods)
    )


def told(*pictures: Sequence[Node]) -> list[News]:
    """Return the failures and warnings told of *pictures*, a minute apart."""
    narration, news = Narration(), []
    for minute, pods in enumerate(pictures):
        time = START + 60 * minute
        news += narration.observe(Picture(time, (of(pods),)), time)
    return [each for each in news + narration.rest() if each.finding or each.event]


DIFFERENT = [
    ("cannot pull image app:1.1", "cannot pull image app:1.2"),
    ("cannot pull image app:1.2.3.4", "cannot pull image app:1.2.3.5"),
    (f"no image app@sha256:{'a' * 64}", f"no image app@sha256:{'b' * 64}"),
    ("exited with 1 (Error)", "exited with 2 (Error)"),
    ("Secret db-1 does not exist", "Secret db-2 does not exist"),
    ("OOMKilled (limit 64Mi)", "OOMKilled (limit 96Mi)"),
    (
        "Readiness probe failed: HTTP probe failed with statuscode: 500",
        "Readiness probe failed: HTTP probe failed with statuscode: 403",
    ),
    (
        "dial tcp 10.0.0.7:5432: connect: connection refused",
        "dial tcp 10.0.0.7:5433: connect: connection refused",
    ),
]
ALIKE = [
    (
        "CrashLoopBackOff, 1 restart, back-off 10s",
        "CrashLoopBackOff, 7 restarts, back-off 5m0s",
    ),
    (
        "back-off 10s restarting pod web-a_shop(8120e381-d9fe-4873-92bb-442819582061)",
        "back-off 5m0s restarting pod web-b_shop(fbfdfa38-03c4-41e3-8d1f-98c730964d1a)",
    ),
    (
        'Get "http://10.1.0.7:80/": read tcp 10.1.0.1:4321->10.1.0.7:80: i/o timeout',
        'Get "http://10.1.0.8:80/": read tcp 10.1.0.1:4398->10.1.0.8:80: i/o timeout',
    ),
    ("dial tcp [fd00::7]:80: i/o timeout", "dial tcp [fd00:1::8]:80: i/o timeout"),
    (f'no network for sandbox "{"0a" * 32}"', f'no network for sandbox "{"1b" * 32}"'),
    (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.",
        "0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient cpu.",
    ),
    (
        'pods "web-a-x7k2p" is forbidden: exceeded quota: q, requested: pods=1, '
        "used: pods=2, limited: pods=4",
        'pods "web-b-2bqzv" is forbidden: exceeded quota: q, requested: pods=1, '
        "used: pods=4, limited: pods=4",
    ),
    (
        "Threshold quantity: 100Mi, available: 988Ki. Container a was using 92Mi, x",
        "Threshold quantity: 100Mi, available: 12Mi. Container a was using 8Gi, x",
    ),
    ("not valid: current time 2026-11-21T15:04:05Z", "not valid: current time "
     "2026-11-21T15:05:07.123+01:00"),
    ("2 of 6 endpoints are not ready", "3 of 6 endpoints are not ready"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_cause_is_news(one: str, other: str) -> None:
    first, second = failing("web-a", one), failing("web-b", other)
    assert [each.others for each in told([first, second])] == [0, 0]
    assert [each.node.name for each in told([first], [second])] == ["web-a", "web-b"]
    assert [len(each) for each in groups([first, second])] == [1, 1]
    assert len(told([pod("web-a", one)], [pod("web-a", other)])) == 2


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_the_same_cause_is_no_news(one: str, other: str) -> None:
    first, second = failing("web-a", one), failing("web-b", other)
    assert [each.others for each in told([first, second])] == [1]
    assert len(told([first], [second])) == 1
    assert [len(each) for each in groups([first, second])] == [2]
    assert len(told([pod("web-a", one)], [pod("web-b", other)])) == 1


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_the_cause_is_that_of_most_pods(order: tuple[int, ...]) -> None:
    pods = [
        failing("web-a", "Secret db-1 does not exist"),
        failing("web-b", "cannot pull image app:1"),
        failing("web-c", "cannot pull image app:1"),
        failing("web-d", "Secret db-2 does not exist"),
    ]
    root = of([pods[each] for each in order])
    cause = deepest_cause(root)
    assert cause and text_of(cause.finding) == "cannot pull image app:1"
    assert cause.others == 2
    tree = TreeRenderer(Parts(PLAIN, namespace="web"))
    reasons = {root.uid: Reason(cause)}
    _, line, *_ = tree.tree(Picture(START, (root,)), START, reasons)
    assert line.endswith("✗ cannot pull image app:1 (and 2 other causes)")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_causes_that_are_as_frequent_the_first_by_name_counts(
    order: tuple[int, ...],
) -> None:
    pods = [failing("web-a", "exited with 1"), failing("web-b", "exited with 2")]
    cause = deepest_cause(of([pods[each] for each in order]))
    assert cause and cause.node.name == "web-a" and cause.others == 1


def test_a_later_line_names_the_pod_of_the_first_one() -> None:
    pods = [failing(f"web-{letter}", "exited with 1") for letter in "abcdefghij"]
    later = told(pods[6:7], pods)
    assert [(each.node.name, each.others) for each in later] == [
        ("web-g", 0),
        ("web-g", 9),
    ]
