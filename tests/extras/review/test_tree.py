"""`review`: the tree at the clock, as `trace --at` prints it."""

from __future__ import annotations

import re
import shlex
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path

import pytest

from benchmarks.recorded import recorded_churn
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.extras.review.folds import AnswerView, Fold, Page, TreeView
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.sources.recording.index import Index
from tests.cli.command import Spy
from tests.extras.review.reviewing import Review, named, reviewed, settle
from tests.recordings import record, record_stream, story


def _objects(text: str) -> list[str]:
    """Return the objects of a tree, each with its mark."""
    return re.findall(r"[✓✗…·?!] [a-z.]+/\S+", text)


@pytest.fixture
def crashes(tmp_path: Path) -> Path:
    """A Pod that crashes again and again."""
    file = tmp_path / "crashes.spy"
    record_stream("pod-crashloop", file)
    return file


def test_the_tree_is_that_of_trace(rollout: Path, spy: Spy) -> None:
    with closing(Index(str(rollout))) as index:
        index.grow(inf)
        nginx, versions = named(index, "deployment/nginx")
        fold = Fold(index, partial(TreeView, palette=PLAIN))
        for line in (versions[20], versions[30], versions[3]):  # then it goes back
            page = fold.page(nginx, line, inf, width=0, full=False)
            at = f"seq:{decode(index.raw(line))['seq']}"
            ended = spy.run(
                *("trace", str(rollout), "deployment/nginx", "--at", at),
                *("-n", "deploy-rollout"),
            )
            assert isinstance(page, Page)
            assert page.lines == ended.out.splitlines() != []


def test_a_fold_reads_in_steps(rollout: Path) -> None:
    with closing(Index(str(rollout))) as index:
        index.grow(inf)
        nginx, versions = named(index, "deployment/nginx")
        make = partial(TreeView, palette=PLAIN)
        at_once = partial(Fold(index, make).page, nginx, versions[-1], inf)
        in_steps = partial(Fold(index, make).page, nginx, versions[-1], 0.0)
        said = []
        while isinstance(page := in_steps(width=0, full=False), int):
            said.append(page)
        assert len(said) > 5 and said == sorted(said) and said[-1] < 100
        assert page == at_once(width=0, full=False)


def test_the_answer_is_read_in_steps_and_is_the_same_again(tmp_path: Path) -> None:
    file = tmp_path / "churn.spy"
    recorded_churn(file, 20, 3_000)
    with closing(Index(str(file))) as index:
        index.grow(inf)
        make = partial(AnswerView, palette=PLAIN, recording=index.recording)
        at_once = partial(Fold(index, make).page, 0, len(index) - 1, inf)
        in_steps = partial(Fold(index, make).page, 0, len(index) - 1, 0.0)
        steps = 0
        while isinstance(page := in_steps(width=80, full=False), int):
            steps += 1
        assert steps > 1.5 * len(index)  # a look at what fails has steps of its own
        assert isinstance(page, Page) and len(page.lines) > 10
        assert page == at_once(width=80, full=False)
        again = in_steps(width=81, full=False)
        assert isinstance(again, Page) and again.lines == page.lines


def test_going_back_from_far_is_quick(tmp_path: Path) -> None:
    file = tmp_path / "churn.spy"
    recorded_churn(file, 20, 3_000)
    with closing(Index(str(file))) as index:
        index.grow(inf)
        make = partial(TreeView, palette=PLAIN)
        pod, versions = named(index, index.subjects[7].label)
        fold, anew = Fold(index, make), Fold(index, make)
        fold.page(pod, versions[-1], inf, width=80, full=False)
        kept = [
            fold.page(pod, each, 0.0, width=80, full=False) for each in versions[-32:]
        ]
        assert kept == [
            anew.page(pod, each, inf, width=80, full=False) for each in versions[-32:]
        ]


def test_t_shows_the_tree_at_the_clock(rollout: Path, spy: Spy) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("tab", "end", "p", "p", "t")
        seen = set[str]()
        for key in "nppp":
            await review.press(key, "y")
            command = shlex.split(review.app.clipboard)
            assert command[:3] == ["kubectl", "spy", "trace"]
            ended = spy.run(*command[2:])
            assert _objects(review.change) == _objects(ended.out) != []
            seen.add(review.change)
        assert len(seen) > 2
        await review.press("t")
        assert "replicaset" not in review.change

    reviewed(rollout, play)


def test_d_ends_the_tree(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("tab", "end", "t")
        assert "└─" in review.change
        await review.press("d")
        assert "apiVersion: apps/v1" in review.change

    reviewed(rollout, play)


def test_the_tree_of_an_event_is_that_of_its_object(crashes: Path) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("event/")
        await review.press("tab", "end", "t")
        assert "pod/crasher" in review.change

    reviewed(crashes, play)


def test_what_is_not_there_yet_has_no_tree(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await settle(review)
        await review.type("deployment/nginx")
        await review.press("home", "t")
        review.app.session.clock = 0
        review.app.redraw()
        assert "deployment/nginx is not there at this time" in review.change

    reviewed(rollout, play)


def test_a_tree_needs_no_recording_of_what_objects_own(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "pods.spy"
    record(file, story())

    async def play(review: Review) -> None:
        await settle(review)
        await review.type("pod/a")
        await review.press("tab", "end", "t")
        ended = spy.run("trace", str(file), "pod/a", "--at", "last")
        assert ended.code == 0
        assert _objects(review.change) == _objects(ended.out) != []

    reviewed(file, play)
