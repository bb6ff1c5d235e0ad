"""Events and spans of what real controllers did, against what the cluster says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ended
from tests.e2e.cluster import Cluster
from tests.e2e.objects import job, workload

Line = dict[str, Any]
REVISION = "deployment.kubernetes.io/revision"


def lines(ended: Ended) -> list[Line]:
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def until_ready(cluster: Cluster, namespace: str, command: str, *flags: str) -> Ended:
    wait = ("--for", "ready")
    return cluster.spy().run(*command.split(), "-n", namespace, *wait, *flags)


def test_the_events_are_those_that_the_cluster_has(
    cluster: Cluster, namespace: str
) -> None:
    cluster.apply(
        workload("Deployment", "web", namespace, replicas=2),
        workload("Deployment", "other", namespace, replicas=1),
    )
    for name in ("web", "other"):
        assert until_ready(cluster, namespace, f"trace deploy/{name}").code == 0
    found = lines(
        cluster.spy().run(
            *("events", "deploy/web", "-n", namespace, "--once", "-o", "json")
        )
    )
    listed = cluster.get("events", "-n", namespace)["items"]
    expected = {
        event["metadata"]["uid"]: event.get("count") or 1
        for event in listed
        if event["involvedObject"]["name"].startswith("web")
    }
    assert {each["uid"]: each["count"] for each in found} == expected
    assert len(found) == len(expected) >= 5
    times = [each["time"] for each in found]
    assert times == sorted(times)


def test_a_rollout_is_one_trace_with_its_pods_in_it(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "rollout.spy")
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    live = lines(
        until_ready(
            *(cluster, namespace, "spans deploy/web"), *("-o", "json", "--record", file)
        )
    )
    by_id = {span["spanId"]: span for span in live}
    assert len(by_id) == len(live)
    (root,) = (span for span in live if span["kind"] == "change")
    assert root["name"] == "Deployment.create"
    kinds = [span["name"] for span in live if span["kind"] == "object"]
    assert kinds.count("Pod") == 2 and kinds.count("ReplicaSet") == 1
    for span in live:
        if span is root:
            continue
        above = by_id[span["parentId"]]
        assert above["start"] <= span["start"], (above, span)
        if "end" in span and "end" in above:
            assert span["end"] <= above["end"], (above, span)
        if span["name"] == "Pod":
            assert above["name"] == "ReplicaSet"
    acted = {span.get("service") for span in live}
    assert {"deployment-controller", "replicaset-controller"} <= acted
    assert "default-scheduler" in acted

    replayed = lines(
        cluster.spy().run("spans", "--from", file, "--for", "ready", "-o", "json")
    )
    assert sorted(map(json.dumps, replayed)) == sorted(map(json.dumps, live))


def test_an_update_soon_after_a_create_keeps_what_came_of_it(
    cluster: Cluster, namespace: str
) -> None:
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    assert until_ready(cluster, namespace, "trace deploy/web").code == 0
    cluster.kubectl("set", "image", "deploy/web", "main=second", "-n", namespace)
    spans = lines(until_ready(cluster, namespace, "spans deploy/web", "-o", "json"))
    sets = cluster.get("replicasets", "-n", namespace)["items"]
    sets.sort(key=lambda each: each["metadata"]["annotations"][REVISION])
    first, second = (each["metadata"]["name"] for each in sets)

    def traces(name: str) -> set[str]:
        said = [span for span in spans if f"Scaled up replica set {name} " in str(span)]
        shown = [span for span in spans if f"'{name}'" in str(span["attributes"])]
        return {span["traceId"] for span in said + shown}

    (create,) = (span for span in spans if span["name"] == "Deployment.create")
    assert create["traceId"] in traces(first)
    assert traces(second) and create["traceId"] not in traces(second)


@pytest.mark.parametrize("target", ["sts/db", "ds/agent", "job/once"])
def test_pods_stand_below_what_made_them(
    cluster: Cluster, namespace: str, target: str
) -> None:
    cluster.apply(
        workload("StatefulSet", "db", namespace, replicas=1, serviceName="db"),
        workload("DaemonSet", "agent", namespace),
        job("once", namespace),
    )
    spans = lines(until_ready(cluster, namespace, f"spans {target}", "-o", "json"))
    by_id = {span["spanId"]: span for span in spans}
    pods = [span for span in spans if span["name"] == "Pod"]
    assert pods
    for pod in pods:
        above = by_id[pod["parentId"]]
        assert above["kind"] == "change" and above["name"].endswith(".create")
