"""Filters that are stacked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.extras.review.reviewing import Review, reviewed, settle


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
