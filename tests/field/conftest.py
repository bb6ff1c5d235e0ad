from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Spy


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    """The command in an empty home."""
    return Spy(tmp_path)
