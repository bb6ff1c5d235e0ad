from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings import record_stream


@pytest.fixture(scope="session")
def rollout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rollout of a Deployment on a real cluster."""
    file = tmp_path_factory.mktemp("review") / "a rollout.spy"
    record_stream("deploy-rollout", file)
    return file
