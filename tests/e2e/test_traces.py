"""Traces of what real controllers do, and of what they are kept from doing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ended
from tests.cli.screen import on_a_terminal
from tests.e2e.cluster import IN_TIME, Cluster, watching
from tests.e2e.objects import job, workload
from tests.e2e.test_rights import bind


def traced(cluster: Cluster, namespace: str, target: str, *flags: str) -> Ended:
    return cluster.spy().run("trace", target, "-n", namespace, *flags)


def ready(cluster: Cluster, namespace: str, target: str) -> Ended:
    return traced(cluster, namespace, target, "--for", "ready")


def test_a_rollout_is_traced_to_its_end(cluster: Cluster, namespace: str) -> None:
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    ended = ready(cluster, namespace, "deploy/web")
    assert ended.code == 0, ended.err
    assert "deployment.apps/web: ready" in ended.err
    cluster.kubectl("set", "image", "deploy/web", "main=x/y:2", "-n", namespace)
    ended = ready(cluster, namespace, "deploy/web")
    assert ended.code == 0, ended.err
    assert "revision 2, current" in ended.out
    # It says so no earlier than kubectl does.
    now = ("-n", namespace, "--watch=false")
    said = cluster.kubectl("rollout", "status", "deploy/web", *now)
    assert "successfully rolled out" in said


def test_every_kind_of_workload_gets_ready(cluster: Cluster, namespace: str) -> None:
    cluster.apply(
        workload("StatefulSet", "db", namespace, replicas=2, serviceName="db"),
        workload("DaemonSet", "agent", namespace),
        job("once", namespace),
    )
    for target in ("sts/db", "ds/agent", "job/once"):
        ended = ready(cluster, namespace, target)
        assert ended.code == 0, (target, ended.err)


def test_a_job_that_is_over_is_the_end(cluster: Cluster, namespace: str) -> None:
    cluster.apply(job("once", namespace))
    ended = traced(cluster, namespace, "job/once")
    assert ended.code == 0, ended.err
    assert "Complete" in ended.out


def test_the_cause_of_a_stuck_rollout_is_on_the_first_screen(
    cluster: Cluster, namespace: str
) -> None:
    within, most = bounds("15 of 30, after a change", "in a pipe")
    rolling = {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}}
    web = workload(
        "Deployment",
        "web",
        namespace,
        replicas=30,
        strategy=rolling,
        progressDeadlineSeconds=5,
    )
    cluster.apply(web)
    assert ready(cluster, namespace, "deploy/web").code == 0
    template = web["spec"]["template"]
    template["metadata"]["labels"]["e2e"] = "bad-image"
    template["spec"]["containers"][0]["image"] = "example.com/nothing:2"
    with cluster.spy().running("trace", "deploy/web", "-n", namespace) as running:
        running.wait_until(lambda it: b"Complete" in it.stdout)
        cluster.apply(web)
        running.wait_until(lambda it: b"no progress" in it.stdout)
        lines = running.end().out.splitlines()
    assert len(lines) <= most
    (changed, *_) = (n for n, line in enumerate(lines) if "changed by" in line)
    assert "nothing:1 → example.com/nothing:2" in lines[changed]
    after = lines[changed : changed + within]
    assert any("cannot pull image" in line for line in after)


def bounds(pods: str, where: str) -> tuple[int, int]:
    """Return the bounds of a row of first_screen.md: line of the cause, and lines."""
    page = (Path(__file__).parents[1] / "cli" / "first_screen.md").read_text()
    row = re.escape(f"| {pods} | {where} | ")
    found = re.search(rf"^{row}(\d+)[^|]*\| (\d+) \|", page, re.MULTILINE)
    assert found is not None
    return int(found[1]), int(found[2])


def test_the_cause_of_thirty_failing_pods_is_on_the_first_screen(
    cluster: Cluster, namespace: str
) -> None:
    web = workload(
        "Deployment", "web", namespace, replicas=30, progressDeadlineSeconds=5
    )
    template = web["spec"]["template"]
    template["metadata"]["labels"]["e2e"] = "bad-image"
    template["spec"]["containers"][0]["image"] = "example.com/nothing:2"
    words = ("trace", "deploy/web", "-n", namespace)
    cluster.apply(web)
    within, most = bounds("30 of 30", "in a pipe")
    with cluster.spy().running(*words) as running:
        running.wait_until(lambda it: b"no progress" in it.stdout)
        lines = running.end().out.splitlines()
    assert len(lines) <= most
    assert any("cannot pull image" in line for line in lines[:within])
    within, most = bounds("30 of 30", "on a terminal of 80 × 24")
    with on_a_terminal(cluster.spy(), *words, columns=80, rows=24) as (screen, _):
        screen.wait_for_text("30 Pods")
        assert len(screen.lines) <= most
        assert any("cannot pull image" in line for line in screen.lines[:within])


def test_what_refuses_pods_is_said_with_what_to_do(
    cluster: Cluster, namespace: str
) -> None:
    cluster.apply(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "few", "namespace": namespace},
            "spec": {"hard": {"pods": "1"}},
        }
    )
    cluster.kubectl(
        "wait",
        "quota/few",
        "-n",
        namespace,
        "--for=jsonpath={.status.hard.pods}=1",
        IN_TIME,
    )
    cluster.apply(workload("Deployment", "web", namespace, replicas=3))
    flags = ("--for", "ready|failed")
    ended = traced(cluster, namespace, "deploy/web", *flags)
    assert ended.code == 1, ended.err
    assert "quota few is exceeded" in ended.err
    assert f"kubectl describe quota few -n {namespace}" in ended.out


def test_missing_rights_degrade_their_line_alone(
    cluster: Cluster, namespace: str
) -> None:
    cluster.apply(
        workload("Deployment", "web", namespace, replicas=1),
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "reader", "namespace": namespace},
        },
    )
    assert ready(cluster, namespace, "deploy/web").code == 0
    rule = {
        "apiGroups": ["apps"],
        "resources": ["deployments", "replicasets"],
        "verbs": ["list", "watch"],
    }
    subject = {"kind": "ServiceAccount", "name": "reader", "namespace": namespace}
    bind(cluster, namespace, subject, rule)
    user = f"system:serviceaccount:{namespace}:reader"
    ended = traced(cluster, namespace, "deploy/web", "--once", "--as", user)
    assert ended.code == 0, ended.err
    assert "Complete" in ended.out and "revision 1, current" in ended.out
    assert f"unknown: may not list pods in namespace {namespace}" in ended.out


def test_a_killed_pod_is_replaced_without_a_new_revision(
    cluster: Cluster, namespace: str
) -> None:
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    assert ready(cluster, namespace, "deploy/web").code == 0
    command = ("trace", "deploy/web", "-n", namespace, "-o", "json")
    with watching(cluster.spy(), *command) as watch:
        first = watch.wait_for(lambda seen: bool(seen))[0]
        (current, *_) = first["objects"][0]["children"]
        before = {pod["name"] for pod in current["children"]}
        cluster.kubectl("delete", "pod", min(before), "-n", namespace, "--wait=false")
        states = watch.wait_for(lambda seen: replaced(seen[-1], before))
    (deployment,) = states[-1]["objects"]
    assert deployment["children"][0]["role"] == "revision 1, current"
    assert deployment["phase"] == "Complete"
    phases = {state["objects"][0]["phase"] for state in states}
    assert "Unavailable" in phases


def replaced(state: dict[str, Any], before: set[str]) -> bool:
    """Return whether one of two Pods is another one than before, and all is well."""
    (deployment,) = state["objects"]
    pods = {pod["name"] for pod in deployment["children"][0].get("children", ())}
    new = pods - before
    return len(new) == 1 and len(pods) == 2 and deployment["verdict"] == "ok"


def without_ages(text: str) -> str:
    """Return *text* without ages: the tree at the end is drawn a little later, live."""
    return re.sub(r"\b[\d.]+(ms|s)\b", "", text)


@pytest.mark.parametrize("output", ["lines", "json"])
def test_a_recorded_rollout_is_traced_as_it_was_live(
    cluster: Cluster, namespace: str, tmp_path: Path, output: str
) -> None:
    file = str(tmp_path / "rollout.spy")
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    live = traced(
        cluster,
        namespace,
        "deploy/web",
        *("--for", "ready", "-o", output, "--record", file),
    )
    assert live.code == 0, live.err
    replayed = cluster.spy().run(
        "trace", "--from", file, "--for", "ready", "-o", output
    )
    assert replayed.code == 0, replayed.err
    assert without_ages(replayed.out) == without_ages(live.out)
    if output == "json":
        last = json.loads(replayed.out.splitlines()[-1])
        assert last["objects"][0]["phase"] == "Complete"
