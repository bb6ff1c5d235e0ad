"""Whether a probe asks at a port that somebody declares."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.pods.probes import undeclared
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.render.findings import text as text_of
from tests.builders import APP, UNREADY, a_pod, container, reported, running
from tests.tracing import diagnosis, entry_of, found, inventory

REFUSED = (
    'Get "http://10.0.0.1:9999/": dial tcp 10.0.0.1:9999: connect: connection refused'
)


def told(probe: dict[str, Any], *ports: object, answer: str = REFUSED) -> str:
    declared = [{"containerPort": each} for each in ports]
    app = container(state=running(), readinessProbe=probe)
    pod = a_pod(app, container("other", running(), ports=declared))
    seen = inventory(pod)
    entry = entry_of(seen, "pod-uid")
    seen_pod = SeenPod.of(entry, seen)
    found = undeclared(seen_pod, seen_pod.containers[0], "readiness", answer)
    return text_of(found) if found else ""


@pytest.mark.parametrize("how", ["httpGet", "tcpSocket", "grpc"])
def test_a_refusing_undeclared_port_is_reported(how: str) -> None:
    assert told({how: {"port": 9999}}, 80, 8080) == (
        "no container declares port 9999, but 80 and 8080"
    )


def test_a_probe_that_fails_says_so() -> None:
    declared = [{"containerPort": 80}]
    probe = {"tcpSocket": {"port": 9999}}
    app = container(state=running(), readinessProbe=probe, ports=declared)
    answer = "dial tcp 10.0.0.1:9999: connect: connection refused"
    failed = reported("Unhealthy", f"Readiness probe failed: {answer}", field=APP)
    result = diagnosis(a_pod(app, conditions=UNREADY), failed)
    assert found(result, "probe/app/readiness")[1] == (
        f"readiness probe (TCP :9999) failed: {answer}; no container declares port "
        "9999, but 80"
    )


@pytest.mark.parametrize(
    ("declared", "others"),
    [
        ([{"name": "http", "containerPort": 80}, {"containerPort": 81}], ", but http"),
        ([{"containerPort": 80}], ""),
        ([], ""),
    ],
)
def test_a_probe_at_a_port_name_that_its_container_lacks_says_so(
    declared: list[dict[str, Any]], others: str
) -> None:
    """The kubelet tries to read the name as a number."""
    probe = {"httpGet": {"port": "web"}}
    app = container(state=running(), readinessProbe=probe, ports=declared)
    error = 'strconv.Atoi: parsing "web": invalid syntax'
    message = f"Readiness probe errored and resulted in unknown state: {error}"
    failed = reported("Unhealthy", message, field=APP)
    result = diagnosis(a_pod(app, conditions=UNREADY), failed)
    assert found(result, "probe/app/readiness")[1] == (
        f"readiness probe (GET :web/) failed: {error}; the container has no port named "
        f"web{others}"
    )


def test_a_port_is_not_called_wrong_without_a_reason() -> None:
    probe = {"httpGet": {"port": 9999}}
    assert told(probe, 9999) == ""
    assert told(probe) == ""
    assert told(probe, 80, answer="HTTP probe failed with statuscode: 404") == ""
    assert told({"httpGet": {"port": "http"}}, 80) == ""
    assert told({"exec": {"command": ["true"]}}, 80) == ""
    assert told(probe, "80", None) == ""
