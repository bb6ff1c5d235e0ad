"""What something else tells of the past of an object stands with its first version."""

from __future__ import annotations

from pathlib import Path

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.patch.operation import PatchOperation
from tests.builders import event, pod
from tests.builders.watches import ALL_PODS
from tests.extras.review.reviewing import Review, reviewed
from tests.recordings import START, first_list, items_of, recorder_to


def test_it_is_below_the_first_version_only(tmp_path: Path) -> None:
    file, history = tmp_path / "past.spy", History()
    step = PatchOperation("replace", "/spec/image", "app:2", "app:1")
    told = START - 60, START - 60, "ReplicaSet", "ReplicaSet web-2", ("edit",), (step,)
    recorder = recorder_to(file, history)
    recorder.observe(EarlierWrite(ALL_PODS, "shop", "a", "uid-a", *told))
    changes = [event("MODIFIED", pod("a", rv="2", phase="Failed"), time=START + 2)]
    listed = first_list(pod("a", rv="1"), time=START)
    for item in items_of(history, [*listed, *changes]):
        recorder.observe(item)
    recorder.end("done")

    async def play(review: Review) -> None:
        await review.type("pod/a")
        await review.press("enter", "home")
        assert "≈" in review.change and '"app:1" → "app:2"' in review.change
        await review.press("n")
        assert "MODIFIED" in review.change and "≈" not in review.change

    reviewed(file, play)
