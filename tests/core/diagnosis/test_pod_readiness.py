"""What a running Pod waits for: probes, readiness gates, resources."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.times import time_of
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    APP,
    READY,
    STARTED,
    UNREADY,
    a_pod,
    container,
    reported,
    running,
)
from tests.tracing import diagnosis, found

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING

READINESS = {"httpGet": {"path": "/ready", "port": "web"}, "periodSeconds": 5}


def probed(*events: dict[str, Any], **spec: Any) -> Diagnosis:
    app = container(state=running(), started=spec.pop("started", True), **spec)
    return diagnosis(a_pod(app, conditions=UNREADY), *events)


@pytest.mark.parametrize(
    ("at", "verdict"),
    [("2026-11-21T15:00:10Z", WAITING), ("2026-11-21T15:00:20Z", FAILING)],
)
def test_a_probe_fails_after_its_patience(at: str, verdict: Verdict) -> None:
    unhealthy = reported(
        "Unhealthy",
        "Readiness probe failed: HTTP probe failed with statuscode: 503",
        field=APP,
        first=at,
    )
    result = probed(unhealthy, readinessProbe=READINESS)
    assert found(result, "container/app") == (WAITING, "running, not ready")
    assert found(result, "probe/app/readiness") == (
        verdict,
        "readiness probe (GET :web/ready) failed: HTTP 503",
    )
    assert result.verdict is verdict


def test_a_probe_that_failed_before_the_container_was_started_is_past() -> None:
    old = reported(
        "Unhealthy",
        "Readiness probe failed: no",
        field=APP,
        first="2026-11-21T14:59:59Z",
    )
    assert [
        text_of(each) for each in probed(old, readinessProbe=READINESS).findings
    ] == ["running, not ready: its readiness probe (GET :web/ready) has not passed"]


@pytest.mark.parametrize("turned", ["ContainersReady", "Ready"])
@pytest.mark.parametrize(
    ("at", "since"),
    [
        ("2026-11-21T14:59:00Z", STARTED),
        ("2026-11-22T14:20:00Z", "2026-11-22T14:20:00Z"),
    ],
)
def test_a_container_is_unready_since_the_condition_turned(
    turned: str, at: str, since: str
) -> None:
    app = container(state=running(), started=True, readinessProbe=READINESS)
    unready = {turned: {"status": "False", "lastTransitionTime": at}}
    (told,) = diagnosis(a_pod(app, conditions=unready)).findings
    assert told.since == time_of(since)


def test_an_unknown_probe_is_named_by_its_kind() -> None:
    unhealthy = reported("Unhealthy", "Readiness probe errored: no shell", field=APP)
    odd = running(startedAt="long ago")
    app = container(state=odd, started=True, readinessProbe={"later": {}})
    result = diagnosis(a_pod(app, conditions=UNREADY), unhealthy)
    assert found(result, "probe/app/readiness") == (
        WAITING,
        "readiness probe failed: no shell",
    )


@pytest.mark.parametrize(
    ("probe", "asked"),
    [
        ({"tcpSocket": {"port": 5432}}, "TCP :5432"),
        ({"grpc": {"port": 9000, "service": "health"}}, "gRPC :9000 health"),
        ({"exec": {"command": ["cat", "/ok"]}}, "exec cat /ok"),
        ({"httpGet": {"port": 443, "scheme": "HTTPS"}}, "HTTPS GET :443/"),
    ],
)
def test_a_startup_probe_comes_first(probe: dict[str, Any], asked: str) -> None:
    result = probed(startupProbe=probe, readinessProbe=READINESS, started=False)
    assert found(result, "container/app") == (
        WAITING,
        f"running, not ready: its startup probe ({asked}) has not passed",
    )


def test_a_container_that_is_given_up_by_its_startup_probe_is_failing() -> None:
    failed = reported("Unhealthy", "Startup probe failed: no", field=APP)
    killing = reported(
        "Killing",
        "Container app failed startup probe, will be restarted",
        field=APP,
        kind="Normal",
    )
    probe = {"tcpSocket": {"port": 80}}
    result = probed(failed, killing, startupProbe=probe, started=False)
    assert result.verdict is FAILING
    assert found(result, "probe/app/startup") == (
        FAILING,
        "startup probe (TCP :80) failed: no; the container is being restarted for it",
    )


def test_a_readiness_gate_that_is_not_met_is_named() -> None:
    up = container(state=running(), ready=True)
    kind = "example.com/load-balancer"
    spec = {"readinessGates": [{"conditionType": kind}]}
    conditions = UNREADY | {"ContainersReady": "True"}
    absent = diagnosis(a_pod(up, conditions=conditions, spec=spec))
    assert found(absent, f"gate/{kind}") == (
        WAITING,
        f"not ready: readiness gate {kind} is not met, nobody has set that condition",
    )
    told = conditions | {kind: {"status": "False", "message": "not registered"}}
    unmet = diagnosis(a_pod(up, conditions=told, spec=spec))
    assert found(unmet, f"gate/{kind}")[1].endswith("is not met: not registered")
    silent = diagnosis(a_pod(up, conditions=conditions | {kind: "False"}, spec=spec))
    assert found(silent, f"gate/{kind}")[1].endswith("is not met")
    met = diagnosis(a_pod(up, conditions=READY | {kind: "True"}, spec=spec))
    assert (met.verdict, len(met.findings)) == (OK, 1)


@pytest.mark.parametrize(
    ("kind", "reason", "verdict", "text"),
    [
        ("PodResizePending", "Deferred", OK, "its node has no room yet"),
        (
            "PodResizePending",
            "Infeasible",
            FAILING,
            "its node can never have the resources",
        ),
        ("PodResizeInProgress", "", OK, "in progress"),
        ("PodResizeInProgress", "Error", FAILING, "failed"),
    ],
)
def test_in_place_resizes_are_shown(
    kind: str, reason: str, verdict: Verdict, text: str
) -> None:
    up = container(state=running(), ready=True)
    resize = {"status": "True", "reason": reason, "message": "m"}
    result = diagnosis(a_pod(up, conditions=READY | {kind: resize}))
    assert result.verdict is verdict
    assert found(result, "resize")[1].endswith(f" {text}: m")


def test_a_running_pod_says_since_when() -> None:
    up = container(state=running(startedAt="2026-11-21T15:00:05Z"), ready=True)
    result = diagnosis(a_pod(up, conditions=READY))
    pending = diagnosis(a_pod(phase="Pending", metadata={"creationTimestamp": STARTED}))
    assert result.since is not None and pending.since is not None
    assert result.since - pending.since == 5
