"""What is deleted: in which trace it is, and which warnings are normal."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.render.findings import error_text
from tests.extras.spans.model.watch import (
    Document,
    Watch,
    deployment,
    event,
    pod,
    times,
)
from tests.tracing import START

GOING = {"deletionTimestamp": rfc3339(START + 30), "deletionGracePeriodSeconds": 30}
UNHEALTHY = "Readiness probe failed: dial tcp 10.0.0.7:80: connect: connection refused"


def warning(second: float, reason: str, message: str, **parts: Any) -> Document:
    return said(second, reason, message, type="Warning", **parts)


def said(
    second: float, reason: str, message: str, field: str = "app", **parts: Any
) -> Document:
    about = {"kind": "Pod", "uid": "uid-web", "name": "web"}
    about["fieldPath"] = f"spec.containers{{{field}}}"
    found = event("web", second, **{"reason": reason, "message": message, **parts})
    found |= {"involvedObject": about, "firstTimestamp": rfc3339(START + second)}
    uid = parts.get("uid", f"{reason}-{second}")
    found["metadata"] = {**found["metadata"], "uid": uid, "name": uid}
    return found


def errors(watch: Watch) -> list[tuple[str, str]]:
    return [
        (each.name, error_text(each.error))
        for each in watch.log.spans(START + 99)
        if each.error
    ]


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("Unhealthy", UNHEALTHY),
        ("ProbeWarning", "Readiness probe warning: moved"),
        ("FailedMount", 'object "shop"/"settings" not registered'),
        ("FailedCreatePodSandBox", "Failed to create pod sandbox: context canceled"),
        ("Failed", "Error: context canceled"),
        ("BackOff", "Back-off restarting failed container app in pod web"),
        ("FailedScheduling", "skip schedule deleting pod: shop/web"),
    ],
)
@pytest.mark.parametrize("gone", [False, True])
def test_warnings_about_running_are_no_errors_of_a_pod_that_is_being_deleted(
    reason: str, message: str, gone: bool
) -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (20, pod("web", owner="", metadata=GOING)))
    if gone:
        watch.observe(21, pod("web", owner=""), "DELETED")
    watch.observe(21, warning(21, reason, message))
    assert f"Pod.{reason}" in watch.spans()
    assert errors(watch) == []


@pytest.mark.parametrize("reason", ["FailedKillPod", "FailedPreStopHook", "Other"])
def test_warnings_on_stopping_are_errors_of_the_delete(reason: str) -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (20, pod("web", owner="", metadata=GOING)))
    watch.observe(21, warning(21, reason, "cannot"))
    assert errors(watch) == [(f"Pod.{reason}", "cannot")]


def test_a_probe_that_failed_before_the_deletion_stays_an_error() -> None:
    watch = Watch()
    root = deployment()
    root["metadata"]["uid"] = "uid-root"
    watch.sees((0, root), (0, pod("web", owner="root")))
    watch.observe(3, warning(3, "Unhealthy", UNHEALTHY, uid="e1"))
    watch.observe(4, pod("web", owner="root", metadata=GOING))
    watch.observe(5, warning(5, "Unhealthy", UNHEALTHY, uid="e1", count=2))
    assert times(watch.spans()["Pod.Unhealthy"]) == (3, 5)
    assert errors(watch) == [("Pod.Unhealthy", UNHEALTHY)]


def test_an_event_may_come_before_the_deletion_that_it_follows() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (19.9, warning(19.9, "Unhealthy", UNHEALTHY)))
    watch.observe(20, pod("web", owner="", metadata=GOING))
    assert errors(watch) == []


def test_a_listed_event_of_whole_seconds_may_be_from_after_the_deletion() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (20.4, pod("web", owner="", metadata=GOING)))
    watch.lists(25, 15, warning(20, "Unhealthy", UNHEALTHY))
    assert errors(watch) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Stopping container app", []),
        ("Stopping container other", [("Pod.Unhealthy", UNHEALTHY)]),
        (
            "Container app failed liveness probe, will be restarted",
            [("Pod.Unhealthy", UNHEALTHY)],
        ),
    ],
)
def test_probes_of_stopped_containers_are_ok(
    message: str, expected: list[tuple[str, str]]
) -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", owner=""))
    field = "other" if "other" in message else "app"
    watch.observe(20, said(20, "Killing", message, field))
    watch.observe(21, warning(21, "Unhealthy", UNHEALTHY))
    assert errors(watch) == expected


def test_a_container_that_was_started_again_has_to_answer() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", owner=""))
    watch.observe(20, said(20, "Killing", "Stopping container app"))
    watch.observe(21, said(21, "Started", "Container started"))
    watch.observe(22, warning(22, "Unhealthy", UNHEALTHY))
    assert errors(watch) == [("Pod.Unhealthy", UNHEALTHY)]


def test_a_pull_that_a_deletion_cancels_did_not_fail() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", ready=False, owner=""))
    watch.observe(1, said(1, "Pulling", "Pulling image"))
    watch.observe(2, pod("web", ready=False, owner="", metadata=GOING))
    watch.observe(3, warning(3, "Failed", "Failed to pull image: context canceled"))
    assert times(watch.spans()["Pod.PullingImage"]) == (1, 3)
    assert errors(watch) == []


def rows(watch: Watch, trace: str) -> list[str]:
    """Return the names of the objects that have a span in the *trace* of that name."""
    spans = watch.log.spans(START + 99)
    (root,) = (each for each in spans if each.name == trace)
    return [
        str(dict(each.attributes)["k8s.pod.name"])
        for each in spans
        if each.trace_id == root.trace_id and each.kind is SpanKind.OBJECT
    ]


@pytest.mark.parametrize("second", [60.1, 61, 70])
def test_a_pod_that_goes_is_in_the_trace_that_took_it(second: float) -> None:
    watch = Watch()
    watch.sees((0, deployment()), (0, pod("old")), (50, deployment(2)))
    watch.sees((51, pod("old", metadata=GOING)), (60, deployment(3, replicas=2)))
    watch.observe(second, pod("old", metadata=GOING), "DELETED")
    assert rows(watch, "Deployment.update") == ["old"]
    assert rows(watch, "Deployment.scale") == []
    assert _span(watch, "Deployment.update").end == START + second


def _span(watch: Watch, name: str) -> Span:
    return watch.spans()[name]
