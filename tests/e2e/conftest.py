"""One control plane for all end-to-end tests; each test uses a namespace of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.e2e.controlplane import ControlPlane, missing_binaries


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane with two nodes that sends bookmarks to quiet watches soon."""
    if missing := missing_binaries():
        pytest.skip(f"not found: {', '.join(missing)}; run scripts/control-plane")
    root = tmp_path_factory.mktemp("control-plane")
    with ControlPlane(root, nodes=2, progress_notify="5s") as running:
        yield running


@pytest.fixture
def namespace(cluster: ControlPlane) -> Iterator[str]:
    """A new namespace, deleted (but not waited for) afterwards."""
    name = f"e2e-{uuid.uuid4().hex[:8]}"
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    yield name
    cluster.request("DELETE", f"/api/v1/namespaces/{name}")
