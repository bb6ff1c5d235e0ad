"""The real kubectl takes it for an API server."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import processes
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE

pytestmark = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl is not installed"
)

Kubectl = Callable[..., str]


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(["deploy-rollout"], speed=0) as server:
        yield server


@pytest.fixture
def kubectl(server: ApiServer, tmp_path: Path) -> Kubectl:
    config = server.write_kubeconfig(tmp_path / "config")

    def run(*arguments: str) -> str:
        command = ["kubectl", f"--kubeconfig={config}", f"--cache-dir={tmp_path}"]
        completed = processes.run(
            [*command, *arguments], capture_output=True, text=True
        )
        assert completed.returncode == 0, completed.stderr
        return str(completed.stdout)

    return run


def test_get_prints_what_is_there(server: ApiServer, kubectl: Kubectl) -> None:
    server.play()
    server.wait_until_played(5)
    pods = json.loads(kubectl("get", "pods", "-l", "app=nginx", "-o", "json"))["items"]
    assert len(pods) == 5
    assert {pod["kind"] for pod in pods} == {"Pod"}
    names = kubectl("get", "deploy,svc", "-A", "-o", "name").split()
    assert names == ["deployment.apps/nginx", "service/nginx"]


def test_get_watches_a_whole_rollout(server: ApiServer, kubectl: Kubectl) -> None:
    def end() -> None:
        server.wait_until_played(PATIENCE)
        server.drop_watches()

    threading.Thread(target=end).start()
    printed = kubectl(
        "get", "deployments", "--watch", "-o=jsonpath={.metadata.resourceVersion} "
    ).split()
    assert (len(printed), printed[0], printed[-1]) == (35, "908", "1236")


def test_api_resources_are_all_those_of_the_cluster(kubectl: Kubectl) -> None:
    names = kubectl("api-resources", "-o", "name").split()
    assert {"pods", "deployments.apps", "widgets.example.com", "nodes"} <= set(names)
