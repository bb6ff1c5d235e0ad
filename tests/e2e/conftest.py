"""One control plane for all end-to-end tests; each test uses a namespace of its own."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.controlplane import ControlPlane, find_binary, missing_binaries

REMEDY = "run scripts/control-plane"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once why nothing ran, and what to do about it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = {str(report.longrepr[2]) for report in skipped if report.longrepr}
    for reason in sorted(reasons):
        if "; run scripts/" in reason:
            terminalreporter.line(f"end-to-end tests: {reason}")


def absent(*names: str, remedy: str = REMEDY) -> NoReturn:
    """Skip, or fail where the tests are required to run (.ci/run with Go)."""
    text = f"not found: {', '.join(names)}; {remedy}"
    if os.environ.get("E2E_REQUIRED"):
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="session")
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """A cluster somebody has (--kubeconfig, KUBECONFIG_E2E), or a new control plane."""
    if find_binary("kubectl") is None:
        absent("kubectl")
    given = request.config.getoption("--kubeconfig") or os.environ.get("KUBECONFIG_E2E")
    if given:
        yield Cluster(Path(given), tmp_path_factory.mktemp("homes"), None)
        return
    if missing := missing_binaries():
        absent(*missing)
    root = tmp_path_factory.mktemp("control-plane")
    with ControlPlane(root, nodes=2, progress_notify="5s") as running:
        homes = tmp_path_factory.mktemp("homes")
        yield Cluster(running.kubeconfig, homes, running)


@pytest.fixture(scope="session")
def control_plane(cluster: Cluster) -> ControlPlane:
    """The components of our own cluster; there are none to stop in another's."""
    if not cluster.is_ours:
        pytest.skip("needs a control plane of its own")
    return cluster.control_plane


@pytest.fixture
def namespace(cluster: Cluster) -> Iterator[str]:
    """A new namespace, deleted (but not waited for) afterwards."""
    name = f"e2e-{uuid.uuid4().hex[:8]}"
    cluster.kubectl("create", "namespace", name)
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false")
