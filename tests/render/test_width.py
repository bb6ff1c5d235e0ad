"""An operation fits into the width of a terminal; in a pipe it may be long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timezone

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.headlines.facts import Phrase
from kubectl_spy.core.headlines.headlines import Headline
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.text import TextRenderer
from tests.builders import ALL_PODS, STREAMS, entry, event, pod, recorded_lines


def rendered(columns: Callable[[], int] | None) -> Iterator[str]:
    """Yield the lines of operations in the recorded crash loop."""
    selection, history = ALL_PODS._replace(), History()
    projection = Projection(Excerpt(status=True))
    renderer = TextRenderer(
        PLAIN, zone=timezone.utc, whole=True, full=True, columns=columns
    )
    for line in recorded_lines(STREAMS / "pod-crashloop.ndjson.gz"):
        seen = line.get("event")
        if seen is None or not line["path"].endswith("/pods"):
            continue
        if seen["type"] == "BOOKMARK":
            continue
        item = event(seen["type"], seen["object"], selection=selection)
        for record in filter(None, map(projection.narrowed, history.observe(item))):
            for text in renderer.render_record(record).splitlines():
                if text.startswith("  ") and not text.startswith("   "):
                    yield text


@pytest.mark.parametrize("columns", [115, 120, 130, 160, 200])
def test_operations_fit_where_their_pointers_leave_room(columns: int) -> None:
    assert max(map(len, rendered(lambda: columns))) <= columns


def test_lines_in_a_pipe_are_not_cut_to_a_width() -> None:
    lines = list(rendered(None))
    assert max(map(len, lines)) > 200
    assert not [line for line in lines if "…:" in line]


def test_a_change_that_does_not_fit_beside_its_pointer_is_not_cut() -> None:
    times = [line for line in rendered(lambda: 90) if "lastTransitionTime" in line]
    assert times
    assert not [line for line in times if "…" in line]


def test_a_first_line_goes_on_in_the_next_one() -> None:
    renderer = TextRenderer(PLAIN, zone=timezone.utc, whole=True, columns=lambda: 60)
    item = event("LISTED", pod("web", phase="Running"))
    (record,) = History().observe(item)
    first, second, *_ = renderer.render_record(
        record, Headline((Phrase("word " * 12),))
    ).splitlines()
    assert len(first) <= 60 and second.startswith("    word word")
    assert second.endswith("already there")


def test_a_short_line_without_words_ends_with_its_manager() -> None:
    renderer = TextRenderer(PLAIN, zone=timezone.utc, whole=False, short=True)
    made = pod("web", phase=None, managedFields=[entry("kubelet")])
    (record,) = History().observe(event("ADDED", made))
    assert renderer.render_record(record).endswith("  pod/web  by kubelet\n")
