"""A warning alarms nobody once what it is about is fine."""

from __future__ import annotations

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.trace.picture import Picture
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from tests.tracing import START, recorded_trace

COLOURS = Palette(faint="<faint>", bad="<bad>", reset="</>")


@pytest.mark.parametrize(
    ("verdict", "colour"), [(Verdict.OK, "faint"), (Verdict.WAITING, "bad")]
)
def test_a_warning_is_red_only_beside_what_is_not_fine(
    verdict: Verdict, colour: str
) -> None:
    (root,) = recorded_trace("pod-oom-liveness", "Pod/sick", 51).picture().roots
    (*_, warning) = (each for each in root.events if each.warning)
    node = root._replace(verdict=verdict, findings=(), events=(warning,))
    trees = TreeRenderer(Parts(COLOURS, namespace=root.namespace))
    _, line = trees.tree(Picture(START + 51, (node,)), START + 51)
    assert f"<{colour}>!</> <{colour}>{warning.reason}" in line
