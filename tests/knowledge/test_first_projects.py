"""What the shipped entries say of small objects, as each project documents them."""

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.sources.yaml_file import read_yaml
from tools.health.__main__ import judged

_CASES = read_yaml(Path(__file__).with_name("first_projects.yaml"), missing_ok=False)
_MEMBERS = ("status", "reason", "message", "severity")


def _object(kind: str, members: dict[str, Any]) -> dict[str, Any]:
    version, _, name = kind.partition(" ")
    obj = {"apiVersion": version, "kind": name, "spec": {}, **members}
    obj["metadata"] = {
        "name": "a",
        "namespace": "apps",
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    if conditions := obj.pop("conditions", None):
        obj["status"] = dict(obj.get("status", {}))
        obj["status"]["conditions"] = [
            {
                "type": each,
                **{
                    member: value
                    for member, value in zip(_MEMBERS, values, strict=False)
                    if value
                },
            }
            for each, values in conditions.items()
        ]
    return obj


@pytest.mark.parametrize(
    ("kind", "verdict", "word", "members"),
    [(kind, *each) for kind, cases in _CASES.items() for each in cases],
)
def test_what_an_object_of_a_known_project_says(
    kind: str, verdict: str, word: str, members: dict[str, Any]
) -> None:
    found, lines = judged(_object(kind, members))

    assert found == verdict, lines
    assert word in "\n".join(lines)
