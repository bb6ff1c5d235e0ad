"""`review`: what an object led to up to the clock, as `spans` prints it."""

from __future__ import annotations

import shlex
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path

from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.review.folds import Fold, Page, SpansView
from kubectl_spy.extras.review.panes import ChangePane
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.sources.recording.index import Index
from tests.cli.command import Spy
from tests.extras.review.reviewing import Review, named, reviewed, settle
from tests.recordings import record, story


def test_the_rows_are_those_of_spans(rollout: Path, spy: Spy) -> None:
    with closing(Index(str(rollout))) as index:
        index.grow(inf)
        nginx, versions = named(index, "deployment/nginx")
        times, fold = index.times, Fold(index, partial(SpansView, palette=PLAIN))
        alone = [each for each in versions[:-1] if times[each] < times[each + 1]]
        for line in (alone[9], alone[-1], alone[3]):  # then it goes back
            page = fold.page(nginx, line, inf, width=100, full=False)
            assert isinstance(page, Page)
            until = ("--until", rfc3339(page.now))
            ended = spy.run("spans", "--from", str(rollout), "deployment/nginx", *until)
            assert page.lines == ended.out.splitlines() != []


def test_shift_s_shows_spans_up_to_the_clock(rollout: Path, spy: Spy) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("tab", "end", "S")
        pane = review.app.query_one(ChangePane)
        counts = []
        while "first change" not in review.status:
            counts.append(len(review.change.splitlines()))
            assert pane.is_vertical_scroll_end
            await review.press("p")
        assert counts[0] > 40 > counts[-1]
        await review.press("home", "S")
        assert "Deployment." not in review.change

    reviewed(rollout, play)


def test_y_copies_the_command_that_prints_the_spans(rollout: Path, spy: Spy) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("tab", "end", "S", "enter", "y")
        command = shlex.split(review.app.clipboard)
        assert command[:3] == ["kubectl", "spy", "spans"]
        ended = spy.run(*command[2:])
        names = [each.split()[0] for each in ended.out.splitlines() if each]
        assert [each.split()[0] for each in review.change.splitlines() if each] == names

    reviewed(rollout, play, size=(101, 40))


def test_spans_need_no_recording_of_what_objects_own(tmp_path: Path) -> None:
    file = tmp_path / "pods.spy"
    record(file, story())

    async def play(review: Review) -> None:
        await settle(review)
        await review.type("pod/b")
        await review.press("end", "S")
        assert "Pod.Pending" in review.change

    reviewed(file, play)


def test_the_pane_wraps_anew(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("tab", "end", "S")
        for size in ((80, 24), (160, 50), (80, 24)):
            await review.pilot.resize_terminal(*size)
            await review.pilot.pause()
            widest = max(map(len, review.change.splitlines()))
            room = review.app.columns()
            assert room - 12 < widest <= room

    reviewed(rollout, play)
