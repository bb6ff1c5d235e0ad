"""What a trace in a pipe tells: little, in order, and the cause among the first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.objects import GroupVersionKind
from kubectl_spy.core.trace.failing import groups, names_of
from kubectl_spy.core.trace.narration import Narration, News
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.reason import deepest_cause
from kubectl_spy.render.findings import text as text_of
from tests.findings import saying
from tests.tracing import START, recorded_pictures


def told(stream: str, target: str) -> Iterator[News]:
    narration = Narration()
    for _, picture in recorded_pictures(stream, target):
        yield from narration.observe(picture, picture.time)
    yield from narration.rest()


def summary(each: News) -> str:
    if each.edit is not None:
        return each.edit.text() or "created"
    if each.event is not None:
        return each.event.reason
    if each.finding is not None:
        return text_of(each.finding)
    return f"{each.node.phase} {each.node.summary}"


def test_a_rollout_takes_a_dozen_lines() -> None:
    assert [summary(each) for each in told("deploy-rollout", "Deployment/nginx")] == [
        "created",
        "Progressing revision 1: 3 of 3 updated, 0 available",
        "Complete revision 1: 3 of 3 updated, 3 available",
        "image nginx:1.13-alpine → nginx:1.12-alpine",
        "Progressing revision 2: 3 of 3 updated, 1 old, 3 available",
        "Complete revision 2: 3 of 3 updated, 3 available",
        "Unavailable revision 2: 3 of 3 updated, 2 available",
        "Complete revision 2: 3 of 3 updated, 3 available",
        "Unavailable revision 2: 3 of 3 updated, 2 available",
        "Complete revision 2: 3 of 3 updated, 3 available",
        "replicas 3 → 5",
        "Unavailable revision 2: 5 of 5 updated, 3 available",
        "Complete revision 2: 5 of 5 updated, 5 available",
    ]


@pytest.mark.parametrize(
    ("stream", "target", "cause"),
    [
        ("pod-crashloop", "Pod/crasher", "exited with 3 (Error)"),
        ("pod-bad-image", "Pod/nginx", "cannot pull image nginx:nonsense"),
        ("workloads", "Job/failing", "exited with 7 (Error)"),
        ("pod-oom-liveness", "Pod/hog", "OOMKilled"),
    ],
)
def test_causes_of_failures_come_early(stream: str, target: str, cause: str) -> None:
    lines = list(told(stream, target))
    assert any(cause in summary(each) for each in lines[:4])
    assert len(lines) <= 12


@pytest.mark.parametrize("stream", ["deploy-rollout", "workloads", "pod-bad-image"])
def test_lines_are_in_the_order_in_which_things_began(stream: str) -> None:
    kinds = {"deploy-rollout": "Deployment/nginx", "workloads": "Job/failing"}
    times = [each.time for each in told(stream, kinds.get(stream, "Pod/nginx"))]
    assert times == sorted(times)


def test_pods_that_fail_alike_are_one_group() -> None:
    *_, (_, picture) = recorded_pictures("workloads", "Job/failing")
    (root,) = picture.roots
    (pods,) = groups(root.children)
    assert len(pods) == 2 and names_of(pods) == "dhvfk … jc2bj"
    assert all(each.verdict is Verdict.FAILING for each in pods)


def test_the_deepest_cause_is_that_of_the_pod() -> None:
    *_, (_, picture) = recorded_pictures("workloads", "Job/failing")
    cause = deepest_cause(picture.roots[0])
    assert cause is not None
    assert cause.node.gvk.kind == "Pod" and not cause.others
    assert text_of(cause.finding).startswith("exited with 7")


def test_a_failing_root_can_be_its_own_cause() -> None:
    *_, (_, picture) = recorded_pictures("workloads", "Job/failing")
    (root,) = picture.roots
    waits = root.findings[0]._replace(verdict=Verdict.WAITING, code="Failed")
    pods = tuple(each._replace(findings=(waits,), kinds=()) for each in root.children)
    cause = deepest_cause(root._replace(children=pods))
    assert cause is not None and cause[1] == waits
    said = root._replace(children=pods, findings=(waits,), kinds=())
    assert deepest_cause(said) is None


def test_names_that_end_in_numbers_stay_whole() -> None:
    *_, (_, picture) = recorded_pictures("workloads", "Job/failing")
    (root,) = picture.roots
    pods = [root._replace(name=f"web-{number}") for number in (0, 10, 2)]
    assert names_of(pods) == "web-0 … web-10"


POD = GroupVersionKind("", "v1", "Pod")


def pod(name: str, *messages: str) -> Node:
    """Return a Pod with a warning for each of *messages*."""
    warnings = tuple(
        ClusterEvent(
            uid=f"{name}-{number}",
            about=name,
            subject="",
            kind="Pod",
            namespace="web",
            name=name,
            field="",
            warning=True,
            reason="BackOff",
            message=text,
            times=1,
            first=None,
            last=None,
            seen=START,
            component="kubelet",
        )
        for number, text in enumerate(messages)
    )
    return Node(name, POD, "web", name, "Running", Verdict.OK, "", events=warnings)


def test_warnings_that_name_their_pod_are_grouped() -> None:
    pods = [
        pod(
            f"api-67bb-{letter * 5}",
            "Back-off restarting failed container app in pod "
            f"api-67bb-{letter * 5}_web({letter * 8}-0a1b-4c2d-8e3f-{letter * 12})",
        )
        for letter in "abcdef"
    ]
    narration = Narration()
    news = narration.observe(Picture(START, tuple(pods)), START) + narration.rest()
    assert sum(each.event is not None for each in news) == 1


def test_the_volume_of_a_token_makes_no_difference() -> None:
    pods = []
    for end in ("x7k2p", "2bqzv", "fffff"):
        volume = f"kube-api-access-{end}"
        text = f'volume "{volume}" is not mounted: no token'
        found = saying(f"volume/{volume}", Verdict.FAILING, text)
        failed = f'MountVolume.SetUp failed for volume "{volume}" : no token'
        one = pod(f"api-67bb-{end}", failed)
        pods.append(one._replace(findings=(found,), verdict=Verdict.FAILING))
    assert [len(each) for each in groups(pods)] == [3]
    narration = Narration()
    root = pod("api")._replace(verdict=Verdict.FAILING, children=tuple(pods))
    news = narration.observe(Picture(START, (root,)), START) + narration.rest()
    told = [each for each in news if each.event or each.finding]
    assert [each.others for each in told] == [2, 0]


def words(beginning: int) -> list[str]:
    """Return a thousand messages that are not alike."""
    letters = "ghijklmnop"
    numbers = range(beginning, beginning + 1000)
    return ["".join(letters[int(digit)] for digit in str(each)) for each in numbers]


def test_only_news_that_is_in_the_picture_no_more_is_forgotten() -> None:
    narration = Narration()

    def count(*messages: str) -> int:
        picture = Picture(START, (pod("web-0", *messages),))
        narration.observe(picture, START)
        return sum(each.event is not None for each in narration.rest())

    first, second = words(1000), words(2000)
    assert count(*first, *second) == 2000
    assert count(*first, *second) == 0
    assert count(*second) == 0
    assert count(*first) == 1000
