"""Every recorded scenario as a tree at several moments, kept in tests/golden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from kubectl_spy.core.trace.picture import Picture
from kubectl_spy.core.trace.transitions import transitions
from kubectl_spy.render.moments import clock
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.tracing.lines import LineRenderer
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from tests.tracing import START, UTC, recorded_pictures

SCENES = [
    ("deploy-rollout", "Deployment/nginx", (7.3, 8, 12, 19, 20.5, 25, 31.2, 38, 43)),
    ("deploy-rollout", "Service/nginx", (7.3, 8, 12, 19, 20.5, 31.2, 43)),
    ("workloads", "StatefulSet/db", (0.5, 5, 32, 36, 61)),
    ("workloads", "DaemonSet/agent", (0.5, 5, 61)),
    ("workloads", "Job/migrate", (0.5, 3, 10, 61)),
    ("workloads", "Job/failing", (0.5, 10, 30, 61)),
    ("workloads", "CronJob/tick", (0.5, 30, 61)),
    ("pod-boot", "Pod/nginx", (0.1, 1, 9, 11)),
    ("pod-bad-image", "Pod/nginx", (1, 5, 20, 44, 47)),
    ("pod-crashloop", "Pod/crasher", (1, 3, 10, 42)),
    ("pod-oom-liveness", "Pod/hog", (2, 10, 51)),
    ("pod-oom-liveness", "Pod/sick", (2, 10, 15, 51)),
    ("pod-oom-liveness", "Pod/badinit", (2, 10, 51)),
    ("pod-bad-volume", "Pod/novol", (2, 15, 34)),
    ("pod-bad-volume", "Pod/nosched", (2, 34)),
    ("pod-bad-volume", "Pod/multi", (2, 10, 34)),
    ("recreate", "Pod/same", (1, 8, 12, 24)),
    ("custom-resource", "Widget/w0", (1, 3, 6)),
    ("node", "Node/node1", (1, 60, 114)),
    ("secret-config", "Secret/db-credentials", (2, 3)),
]
LINES = ["deploy-rollout Deployment/nginx", "pod-crashloop Pod/crasher"]


def states(stream: str, target: str) -> Iterator[Picture]:
    for _, picture in recorded_pictures(stream, target):
        yield picture


@pytest.mark.parametrize(
    ("stream", "target", "moments"), SCENES, ids=lambda it: str(it)
)
def test_trees_equal_their_golden_files(
    stream: str,
    target: str,
    moments: tuple[float, ...],
    golden: Callable[[str, str], None],
) -> None:
    parts = Parts(PLAIN, namespace=stream, zone=UTC)
    trees = TreeRenderer(parts)
    shown: list[str] = []
    pending = list(moments)
    tree: Callable[[float], list[str]] | None = None
    for trace, picture in recorded_pictures(stream, target):
        while tree and pending and picture.time > START + pending[0]:
            shown += drawn(tree, START + pending.pop(0))
        tree = partial(trees.tree, picture, reasons=trace.reasons(picture))
    assert tree is not None
    for moment in pending:
        shown += drawn(tree, START + moment)
    name = target.replace("/", "-").lower()
    golden(f"trace-{stream}-{name}.txt", "\n".join(shown) + "\n")


def drawn(tree: Callable[[float], list[str]], now: float) -> list[str]:
    return [f"--- {clock(now, UTC)}", *(tree(now) or ["not there"])]


@pytest.mark.parametrize("scene", LINES)
def test_lines_equal_their_golden_files(
    scene: str, golden: Callable[[str, str], None]
) -> None:
    stream, target = scene.split()
    lines = LineRenderer(Parts(PLAIN, namespace=stream, zone=UTC), zone=UTC)
    text = ""
    before: Picture | None = None
    for picture in states(stream, target):
        text += "".join(map(lines.line, transitions(before, picture)))
        before = picture
    name = target.replace("/", "-").lower()
    golden(f"trace-lines-{stream}-{name}.txt", text)
