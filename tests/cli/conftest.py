from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Spy
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import record, record_stream, story

STREAMS = ("deploy-rollout", "pod-crashloop", "workloads")


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    """The command in an empty home."""
    return Spy(tmp_path)


@pytest.fixture
def serve(spy: Spy) -> Iterator[Serve]:
    """Start an API server that plays at full speed; *spy*'s kubeconfig leads to it."""
    with ExitStack() as servers:

        def start(*recordings: str, namespace: str = "", **more: Any) -> ApiServer:
            server = servers.enter_context(ApiServer(recordings, speed=0, **more))
            server.write_kubeconfig(spy.kubeconfig, namespace=namespace or None)
            return server

        yield start


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A recording of the story of three Pods."""
    record(tmp_path / "file.spy", story())
    return str(tmp_path / "file.spy")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of STREAMS and of Pods that fail, each called NAME.spy."""
    directory = tmp_path_factory.mktemp("recordings")
    for stream in (*STREAMS, "pod-bad-image", "pod-bad-volume"):
        record_stream(stream, directory / f"{stream}.spy")
    return directory
