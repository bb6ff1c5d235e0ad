from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recordings import record_stream


@pytest.fixture(scope="session")
def rollout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rollout of a Deployment on a real cluster."""
    file = tmp_path_factory.mktemp("review") / "a rollout.spy"
    record_stream("deploy-rollout", file)
    return file


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Show times, which are local ones, in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
