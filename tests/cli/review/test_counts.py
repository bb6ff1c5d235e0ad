"""The table of counts, and filters by its rows."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.cli.review.counts_pane import CountsPane, Row, table
from kubectl_spy.cli.review.session import Session
from kubectl_spy.core.summary.counts import Counts, most_first
from kubectl_spy.sources.recording.index import Index
from tests.cli.command import Spy
from tests.cli.review.reviewing import Review, reviewed, settle


def _counts(review: Review) -> Counts:
    tally = review.app.session.tally
    assert tally is not None
    return tally.counts


def _shown(review: Review) -> list[str]:
    pane = review.app.query_one(CountsPane)
    assert review.app.counting
    return [pane.row(number).plain for number in range(pane.virtual_size.height)]


def _summary(spy: Spy, *arguments: str) -> dict[str, Any]:
    ended = spy.run("summary", *arguments, "-o", "json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)["busiest"]
    return found


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [("", []), ("=pod", ["pods"]), ("by:=kubelet", ["--by", "kubelet"])],
)
def test_the_figures_are_those_of_summary(
    rollout: Path, spy: Spy, typed: str, arguments: list[str]
) -> None:
    async def play(review: Review) -> None:
        await review.type(typed)
        await settle(review)
        await review.press("c")
        await settle(review)
        counts, said = _counts(review), _summary(spy, str(rollout), *arguments)
        assert most_first(counts.managers) == said["managers"] != {}
        assert most_first(counts.fields) == said["fields"] != {}
        without_events = counts.changes - counts.kinds["event"]
        assert without_events == sum(said["objects"].values())
        assert sum(counts.kinds.values()) == counts.changes
        rows = _shown(review)
        assert rows[0] == f"{counts.changes} changes"
        assert all(
            f"{count:>8,}  {name}" in rows
            for each in ("managers", "fields")
            for name, count in said[each].items()
        )

    reviewed(rollout, play)


def test_enter_filters_by_a_row_and_esc_drops_that(rollout: Path) -> None:
    async def play(review: Review) -> None:
        everything = len(review.objects)
        for downs, typed in ((1, "by:=kubelet"), (6, "=pod")):
            await review.press("c")
            await settle(review)
            await review.press(*["down"] * downs, "enter")
            await settle(review)
            assert review.head.endswith(typed) and review.focus == "objects"
            assert 0 < len(review.objects) < everything
            await review.press("escape")
            assert len(review.objects) == everything

    reviewed(rollout, play)


def test_it_counts_what_the_filters_leave(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("c")
        await settle(review)
        everything = _counts(review).changes
        await review.press("end")
        assert review.app.query_one(CountsPane).cursor == len(_shown(review)) - 1
        await review.press("home", "down", "enter", "c")
        await settle(review)
        assert [*_counts(review).managers] == ["kubelet"]
        assert 0 < _counts(review).changes < everything
        await review.press("c", "escape", "c")
        await settle(review)
        assert _counts(review).changes == everything

    reviewed(rollout, play)


def test_a_pointer_filters_too(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("c")
        await settle(review)
        rows = _shown(review)
        at = rows.index(
            "       2  /metadata/annotations/deployment.kubernetes.io~1revision"
        )
        first = next(n for n, row in enumerate(rows) if row.startswith(" "))
        headings = sum(not row.startswith(" ") for row in rows[first:at])
        await review.press(*["down"] * (at - first - headings), "enter")
        await settle(review)
        assert review.objects == ["deployment/nginx", *review.objects[1:]]
        assert all(each.split("/")[0] != "pod" for each in review.objects)

    reviewed(rollout, play)


def test_other_keys_wait_until_the_table_is_left(rollout: Path) -> None:
    async def play(review: Review) -> None:
        clock = review.clock
        await review.press("c", "right_square_bracket", "n", "slash", "d", "escape")
        assert review.clock == clock and review.focus == "objects"
        assert not review.app.counting and not review.app.whole

    reviewed(rollout, play)


def test_a_part_is_never_shown_as_the_whole(rollout: Path) -> None:
    """Objects that appear while it counts are counted once, and all of them."""
    with closing(Index(str(rollout))) as index:
        session = Session(index)
        session.grow(0.0)
        session.count()
        assert session.tally is not None
        told, more = list[str](), True
        while more:
            more = session.grow(0.0)
            rows = table(
                session.tally.counts,
                several=False,
                complete=session.tally.is_complete,
            )
            told.append(rows[0].text)
    assert told.pop() == "282 changes"
    assert len(told) > 10 and all(each.endswith(" so far") for each in told)


def test_the_cursor_is_on_top_until_it_is_moved(rollout: Path) -> None:
    """While changes are counted, rows change their places."""

    def rows(**managers: int) -> list[Row]:
        counts = Counts()
        counts.managers.update(managers)
        return table(counts, several=False, complete=False)

    async def play(review: Review) -> None:
        await review.press("c")
        await settle(review)
        pane = review.app.query_one(CountsPane)
        pane.top()
        for first, shown in (("a", rows(a=1)), ("b", rows(a=1, b=2))):
            pane.refill(shown)
            assert pane.kept is not None and pane.kept.text == f"by:={first}"
        pane.move(1)
        for shown in (rows(a=1, b=2), rows(a=3, b=2), rows(a=3, b=2, c=4)):
            pane.refill(shown)
            assert pane.kept is not None and pane.kept.text == "by:=a"

    reviewed(rollout, play)
