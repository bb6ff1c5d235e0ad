"""Objects as the documentation and API types of projects show them, and their marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_spy.knowledge.kinds import known
from tools.health.__main__ import judged

TABLE = yaml.safe_load(Path(__file__).with_name("second_projects.yaml").read_text())
MEMBERS = ("type", "status", "reason", "message")


def whole(value: Any) -> Any:
    """Return *value* with conditions such as `Ready False Denied not allowed`."""
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {
            name: [
                dict(zip(MEMBERS, each.split(" ", 3), strict=False)) for each in held
            ]
            if name == "conditions" and held and isinstance(held[0], str)
            else whole(held)
            for name, held in value.items()
        }
    return value


CASES = [
    pytest.param(name, *case, id=f"{name}-{place}")
    for name, cases in TABLE.items()
    for place, case in enumerate(cases)
]


@pytest.mark.parametrize(("name", "verdict", "word", "members"), CASES)
def test_an_object_has_the_mark_and_the_reason_that_its_project_means(
    name: str, verdict: str, word: str, members: dict[str, Any]
) -> None:
    kind, _, group = name.partition(".")
    assert known(group, kind).health
    obj = {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"name": "it", "namespace": "there", "generation": 1},
        "spec": {},
        **whole(members),
    }
    found, lines = judged(obj)
    assert found == verdict, lines
    assert word in "\n".join(lines)
