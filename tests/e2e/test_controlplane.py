"""The control plane itself: what the other end-to-end tests build on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.controlplane import BINARIES, ControlPlane
from tests.processes import start, wait_until


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
    running: list[dict[str, Any]] = []

    def so_many() -> bool:
        _, pods = control_plane.request("GET", f"/api/v1/namespaces/{namespace}/pods")
        running[:] = [p for p in pods["items"] if p["status"].get("phase") == "Running"]
        return len(running) == count

    wait_until(so_many, lambda: running)
    return running


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


HOLDING = """
import sys, time
from pathlib import Path
import pytest

from tests.e2e.controlplane import BINARIES, ControlPlane
from tests.processes import start, wait_until
with ControlPlane(Path(sys.argv[1]), nodes=1):
    print("up", flush=True)
    time.sleep(9999)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_it_ends_with_a_run_that_is_killed(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    del control_plane
    command = [sys.executable, "-c", HOLDING, tmp_path]
    with start(command, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        held = [pid for pid in processes() if str(tmp_path).encode() in words(pid)]
        assert len(held) == 1 + len(BINARIES)
        run.kill()
    wait_until(lambda: not [pid for pid in held if words(pid)], lambda: held)


def processes() -> list[Path]:
    return [path for path in Path("/proc").iterdir() if path.name.isdigit()]


def words(process: Path) -> bytes:
    """Return its command line, which is empty when it has ended."""
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
