"""Labelled incidents: the change that did it comes first, and no wrong one is certain.

They were played on a real control plane: tools/incidents.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge

INCIDENTS = Path(judge.__file__).with_name("incidents")


@pytest.mark.parametrize("half", ["dev", "held"])
def test_the_cause_of_nine_of_ten_incidents_is_named_first(spy: Spy, half: str) -> None:
    """The rules were written with the half `dev` in view, and without the other."""
    verdicts: list[judge.Verdict] = []
    for label in sorted(INCIDENTS.glob("*.json")):
        if judge.half(label.stem) == half:
            recording = str(label.with_suffix(".spy.gz"))
            ended = spy.run("summary", recording, "-o", "json")
            assert ended.code == 0, ended.err
            expected = json.loads(label.read_text())
            verdicts += judge.judge(expected, json.loads(ended.out))
    assert judge.meets_goal(verdicts), judge.totals(verdicts)
