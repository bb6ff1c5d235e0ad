"""How long a first picture waits, and for what it waits without end."""

from __future__ import annotations

import pytest

from kubectl_spy.cli.patience import Patience


@pytest.mark.parametrize(("seconds", "over"), [(2, False), (4, True)])
def test_a_recording_is_waited_for_by_its_own_clock(seconds: int, over: bool) -> None:
    patience = Patience(live=False)
    assert not patience.over(1000.0, listed=True)
    assert patience.over(1000.0 + seconds, listed=True) is over


def test_what_nobody_has_answered_is_waited_for_without_end() -> None:
    patience = Patience(live=False)
    patience.over(1000.0, listed=False)
    assert not patience.over(9000.0, listed=False)
    assert patience.over(9000.0, listed=True)
