"""Writes that something else tells of, as lines."""

from __future__ import annotations

from datetime import timezone

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.text import TextRenderer
from tests.builders import ALL_PODS

DAY = 86_400.0


def test_times_of_other_days_have_a_date() -> None:
    renderer = TextRenderer(PLAIN, zone=timezone.utc, whole=False, short=True)
    step = PatchOperation("replace", "/spec/nodeName", "b", "a")

    def at(time: float, until: float) -> str:
        told = ALL_PODS, "default", "a", "", time, until, "Event", "Event x"
        write = EarlierWrite(*told, patch=(step,))
        return renderer.render_earlier(write).partition("  ")[0]

    assert at(10, 10) == "≈00:00:10"
    assert at(20, DAY + 5) == "≈00:00:20-1970-01-02 00:00:05"
    assert at(DAY + 7, DAY + 8) == "≈00:00:07-00:00:08"
    assert at(2 * DAY, 2 * DAY) == "≈1970-01-03 00:00:00"
