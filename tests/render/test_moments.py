"""Times that are bounds: what is printed may be later, and never earlier."""

from __future__ import annotations

from datetime import timezone

from kubectl_spy.core.changes.history import History
from kubectl_spy.render.moments import at_latest
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.text import TextRenderer
from tests.builders import event, pod


def test_a_bound_is_rounded_up_to_what_is_printed() -> None:
    assert [at_latest(each) for each in (7.0, 7.001, 7.9)] == [7.0, 8.0, 8.0]
    assert at_latest(1_795_273_200.0004, 0.001) == 1_795_273_200.001


def test_a_line_of_a_change_rounds_its_bound_up_and_no_other_time() -> None:
    renderer = TextRenderer(PLAIN, zone=timezone.utc, whole=True)
    for bound, shown in ((True, "≤15:00:00.124"), (False, "15:00:00.123")):
        item = event("LISTED", pod("web"))
        item = item._replace(time=1_795_273_200.1234, bound=bound)
        (record,) = History().observe(item)
        assert renderer.render_record(record).startswith(shown)
