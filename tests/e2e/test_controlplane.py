"""The control plane itself: what the other end-to-end tests build on."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

from tests.e2e.controlplane import ControlPlane


def deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "example.com/nothing:1"}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container]},
            },
        },
    }


def until_running(
    control_plane: ControlPlane, namespace: str, count: int
) -> list[dict[str, Any]]:
    for _ in range(300):
        _, pods = control_plane.request("GET", f"/api/v1/namespaces/{namespace}/pods")
        running = [p for p in pods["items"] if p["status"].get("phase") == "Running"]
        if len(running) == count:
            return running
        time.sleep(0.1)
    raise AssertionError(f"{len(running)} of {count} Pods are running")


def test_controllers_scheduler_and_kwok_make_a_deployments_pods_ready(
    control_plane: ControlPlane, namespace: str
) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    status, _ = control_plane.request("POST", path, deployment("web", 2))
    assert status == 201

    for pod in until_running(control_plane, namespace, 2):
        conditions = {c["type"]: c["status"] for c in pod["status"]["conditions"]}
        assert conditions["Ready"] == conditions["PodScheduled"] == "True"
        assert pod["spec"]["nodeName"] in ("node-0", "node-1")


def test_a_restarted_api_server_still_knows_its_objects(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    del control_plane  # it is here so that this is skipped where there is none
    with ControlPlane(tmp_path) as cluster:
        path = "/api/v1/namespaces/default/configmaps"
        cluster.request("POST", path, {"metadata": {"name": "kept"}})
        cluster.stop("kube-apiserver", signal.SIGKILL)
        cluster.start("kube-apiserver")
        cluster.wait_ready()
        status, kept = cluster.request("GET", f"{path}/kept")
        assert status == 200
        assert kept["metadata"]["name"] == "kept"


def test_a_user_without_rights_is_refused(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    control_plane.write_kubeconfig(tmp_path / "config", "alice", ["developers"])
    path = "/api/v1/namespaces/default/secrets"
    status, answer = control_plane.request("GET", path, user="alice")
    assert status == 403
    assert 'User "alice" cannot list resource "secrets"' in answer["message"]
