"""An answer does not stay when its evidence is taken away: some of all incidents."""

from __future__ import annotations

import pytest

from tools.incidents import gates


def test_the_answer_goes_with_its_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    assert gates.main(["--every", "15", "--offset", "5"]) == 0, capsys.readouterr().out
