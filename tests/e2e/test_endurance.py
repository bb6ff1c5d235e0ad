"""A short turn of what `python -m tests.e2e.endurance` does for an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.controlplane import ControlPlane
from tests.e2e.endurance import LINKS, VERSIONS, endure

pytestmark = pytest.mark.e2e


def test_a_watch_whose_connections_are_cut_loses_nothing(
    cluster: Cluster, control_plane: ControlPlane, tmp_path: Path
) -> None:
    del control_plane  # what the writers use, past the proxy
    account = endure(
        cluster, tmp_path, seconds=15, a_second=20, lifetime=(0.2, 1.5), mute=0
    )
    assert account.versions > VERSIONS
    assert sum(account.fates.values()) > LINKS
    assert (account.wrong, account.gaps) == ([], 0)
