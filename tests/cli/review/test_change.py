"""The pane of a change: its cursor, and what is copied there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonpatch
import pytest

from kubectl_spy.cli.review.change_pane import ChangePane
from tests.builders import event, pod
from tests.cli.review.reviewing import Review, reviewed
from tests.recordings import START, first_list, record


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_j_and_k_move_from_operation_to_operation(
    rollout: Path, size: tuple[int, int]
) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "n", "n", "f", "enter")
        pointers = re.findall(r" (/(?:spec|status|metadata)/[^\s]+)", review.change)
        assert len(pointers) > 3
        for pointer in [*pointers[1:], pointers[-1]]:
            await review.press("j", "P")
            assert review.app.clipboard == pointer
        for pointer in [*pointers[-2::-1], pointers[0]]:
            await review.press("k", "P")
            assert review.app.clipboard == pointer

    # In a narrow pane long pointers are broken.
    reviewed(rollout, play, size=(max(size[0], 120), size[1]))


def test_a_narrow_pane_has_the_same_operations(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "n", "n", "f", "tab", *"jjjjjjjjjjjj")
        session = review.app.session
        assert session.version is not None
        shown = review.app.pages.operations(session.version, full=True)
        assert review.app.query_one(ChangePane).operation == shown[-1]
        await review.press("P")
        assert review.app.clipboard == shown[-1].path

    reviewed(rollout, play)


def test_the_trail_names_list_elements_by_their_keys(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/ /spec/template")
        while review.app.session.progress:
            await review.pilot.pause()
        await review.press("enter", "end", "tab")
        assert review.trail == (
            "spec › template › spec › containers[name=nginx] › image"
        )
        await review.press("V")
        assert review.app.clipboard.startswith("nginx:1.")
        await review.press("tab")
        assert review.trail == ""

    reviewed(rollout, play)


def test_the_copied_patch_is_that_of_the_version(rollout: Path) -> None:
    copied: list[str] = []

    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "J")
        assert "no patch" in review.status
        await review.press("n", "J")
        session = review.app.session
        lines = session.versions(session.subject)
        before, after = (review.app.pages.version(line) for line in lines[:2])
        assert before is not None and after is not None
        patch = json.loads(review.app.clipboard)
        assert f"copied the patch: {len(patch)} operations" in review.status
        document = jsonpatch.apply_patch(before.record.document, patch)
        assert document == after.record.document
        copied.append(review.app.clipboard)

    reviewed(rollout, play)
    assert copied


def test_a_hostile_value_is_copied_as_json(tmp_path: Path) -> None:
    bad = "\x1b[200~rm -rf /\n\u202e"
    file = tmp_path / "hostile.spy"
    worse = event("MODIFIED", pod("a", rv="2", phase=bad), time=START)
    record(file, [*first_list(pod("a", rv="1"), time=START), worse])

    async def play(review: Review) -> None:
        await review.press("n", "tab", "tab", "V")
        assert json.loads(review.app.clipboard) == bad
        assert not {"\x1b", "\n", "\u202e"} & {*review.app.clipboard}

    reviewed(file, play)
