"""An autoscaler: what it scales, which it only names, is followed along with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builders import manifest, replica, replica_set
from tests.cli.command import Spy, wait_for_file
from tests.cli.test_events import reasons, reported
from tests.extras.serve.api_server.server import ApiServer, Serve


def autoscaler(version: str) -> dict[str, Any]:
    """Return one that scales `rs/web`."""
    target = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    return manifest(
        "HorizontalPodAutoscaler",
        "web",
        "default",
        version=f"autoscaling/{version}",
        metadata={"uid": "uid-hpa"},
        spec={"scaleTargetRef": target, "maxReplicas": 3},
        status={"currentReplicas": 1, "desiredReplicas": 1},
    )


TARGETS = {"v1": "hpa.v1.autoscaling/web", "v2": "hpa/web"}


@pytest.fixture(params=["v1", "v2"])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def scaling(serve: Serve, version: str) -> ApiServer:
    """A server with an autoscaler, what it scales, and what it does not."""
    server = serve()
    server.put(autoscaler(version))
    server.put(replica_set(1, 1))
    server.put(replica(0, True))
    server.put(reported("Scaled", 5))
    server.put(reported("Started", 9, "uid-0", "Pod"))
    other = replica_set(0, 0)
    other["metadata"] |= {"name": "other", "uid": "uid-other"}
    server.put(other)
    server.put(reported("Strange", 6, "uid-other"))
    return server


def test_spans_and_trace_show_the_target(
    spy: Spy, scaling: ApiServer, version: str
) -> None:
    spans, trace = spy.run_all(
        f"spans {TARGETS[version]} --once -o json",
        f"trace {TARGETS[version]} --once -o json",
    )
    names = {each["name"].partition(".")[0] for each in spans.records}
    assert {"HorizontalPodAutoscaler", "ReplicaSet", "Pod"} <= names
    (root,) = json.loads(trace.out)["objects"]
    (scaled,) = root["children"]
    assert (scaled["kind"], scaled["name"]) == ("ReplicaSet", "web")
    assert scaled["role"] == "what it scales"
    assert [each["name"] for each in scaled["children"]] == ["web-00"]


def test_recordings_hold_the_target(spy: Spy, scaling: ApiServer, version: str) -> None:
    file = spy.home / "hpa.spy"
    with spy.running("record", TARGETS[version], "--owned", "-f", str(file)) as running:
        for name in (b"web.scaled", b"web.started", b"web-00"):
            wait_for_file(file, name)
        running.end()
    ended = spy.run("events", "--from", str(file), "-o", "json")
    assert reasons(ended.out) == ["Scaled", "Started"]
    ended = spy.run("trace", "--from", str(file), "-o", "json")
    assert "web-00" in ended.out
