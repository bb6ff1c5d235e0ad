"""Filters that are stacked, and the search."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.cli.review.reviewing import Review, reviewed, settle
from tests.recordings import START, first_list, record


def _shown(review: Review) -> int:
    session = review.app.session
    return sum(len(session.versions(each)) for each in session.objects)


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        ("by:kubelet", ["--by", "kubelet"]),
        ("by:=kubectl", ["--by", "kubectl"]),
        ("--by kube-scheduler", ["--by", "kube-scheduler"]),
        (
            "pod/ by:kube-controller-manager",
            ["--by", "kube-controller-manager", "pods"],
        ),
    ],
)
def test_by_leaves_what_the_option_leaves(
    rollout: Path, spy: Spy, typed: str, arguments: list[str]
) -> None:
    listed = spy.run("changes", "--from", str(rollout), "-A", "-o", "json", *arguments)
    assert listed.code == 0, listed.err

    async def play(review: Review) -> None:
        await review.type(typed)
        await settle(review)
        assert _shown(review) == len(listed.out.splitlines()) > 0

    reviewed(rollout, play)


def test_a_pointer_leaves_the_changes_at_it(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/ /spec/template/spec/containers/*/image")
        await settle(review)
        session = review.app.session
        shown = session.versions(session.subject)
        assert len(shown) == 2  # the new Deployment, and its new image
        await review.press("enter", "home", "n")
        assert "image nginx:1." in review.change

    reviewed(rollout, play)


def test_failures_are_all_that_is_failing_leaves(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("!event is:failing")
        await settle(review)
        assert review.objects
        await review.press("enter", "home")
        for _ in range(_shown(review)):
            assert "✗" in review.change
            await review.press("right_square_bracket")

    reviewed(rollout, play)


def test_filters_are_stacked_and_popped(rollout: Path) -> None:
    async def play(review: Review) -> None:
        counts = [len(review.objects)]
        for typed in ("!event", "nginx", "by:kubelet"):
            await review.type(typed)
            await settle(review)
            counts.append(len(review.objects))
            assert review.head.endswith(typed)
        assert "!event › nginx › by:kubelet" in review.head
        assert counts == sorted({*counts}, reverse=True)
        await review.press("slash", "x", "y", "z", "escape")
        for count in reversed(counts[:-1]):
            await review.press("escape")
            assert len(review.objects) == count
        assert "›" not in review.head and "hidden" not in review.status

    reviewed(rollout, play)


@pytest.mark.parametrize("text", ["nginx:1.13", "Successfully", "/readyreplicas"])
def test_every_change_that_mentions_a_text_is_a_hit(rollout: Path, text: str) -> None:
    async def play(review: Review) -> None:
        await review.press("home", "s", *text, "enter")
        await settle(review)
        session = review.app.session
        search = session.search
        assert search is not None
        found = sorted(line for each in search.finder.hits.values() for line in each)
        keeps = Narrowing(pattern=search.pattern).keeps
        wanted = [
            item.seq
            for item in Recording(str(rollout))
            if isinstance(item, ChangeRecord) and keeps(item)
        ]
        seqs = [session.index.raw(line).split(b",")[0] for line in found]
        assert seqs == [b'{"seq":%d' % seq for seq in wanted] != []
        assert f"of {len(found)} (n N)" in review.status

    reviewed(rollout, play)


def test_n_and_shift_n_go_from_hit_to_hit(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("s", *"unavailable", "enter")
        await settle(review)
        session = review.app.session
        assert session.search is not None
        lines = sorted(
            at for each in session.search.finder.hits.values() for at in each
        )
        at = lines.index(session.clock)
        for step in range(1, len(lines) + 2):
            await review.press("n")
            assert session.clock == lines[(at + step) % len(lines)]
            assert "unavailable" in review.change.lower().replace("\n", "")
        await review.press("N")
        assert session.clock == lines[(at + len(lines)) % len(lines)]
        assert "•" in review.bar
        await review.press("escape")
        assert session.search is None and "•" not in review.bar
        clock = review.clock
        await review.press("p", "n")
        assert review.clock == clock

    reviewed(rollout, play)


def test_a_search_stays_in_what_is_shown(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("replicaset/ by:kube")
        await settle(review)
        await review.press("s", *"replicas", "enter")
        await settle(review)
        for _ in range(12):
            await review.press("n")
            assert review.chosen.startswith("replicaset/")
            line = review.app.session.clock
            assert b'"managers":["kube' in review.app.session.index.raw(line)

    reviewed(rollout, play)


def test_the_value_that_went_is_a_hit_too(tmp_path: Path) -> None:
    """It is not in the line of the change."""
    file = tmp_path / "phases.spy"
    changes = [
        event("MODIFIED", pod("a", rv=str(n), phase=phase), time=START + n)
        for n, phase in enumerate(("here", "there", "nowhere"), 2)
    ]
    record(file, [*first_list(pod("a", rv="1"), time=START), *changes])

    async def play(review: Review) -> None:
        await review.press("s", *"there", "enter")
        await settle(review)
        session = review.app.session
        assert session.search is not None and session.search.count == 2
        await review.press("s", "T", "enter")
        await settle(review)
        assert "“T” not found" in review.status
        await review.press("s", "escape")
        assert session.search is not None and session.search.text == "T"

    reviewed(file, play)
