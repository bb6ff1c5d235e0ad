"""Drafts of entries, from whatever a cluster sends."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given

from kubectl_spy.knowledge.draft import Definition, draft
from kubectl_spy.knowledge.expressions import Budget
from kubectl_spy.knowledge.kinds import kinds_in
from tests.json_documents import hostile_json
from tests.knowledge.widgets import WIDGETS, definition


def test_a_draft_becomes_an_entry_where_the_states_are_filled_in() -> None:
    text = draft(Definition("example.org", "Widget", "v1", definition()), WIDGETS)
    written = text.replace("health: []", "health:").replace("# - STATE", "- waiting")
    entry = kinds_in(yaml.safe_load(written), "")["example.org", "Widget"]
    seen = [rule for rule in entry.health if rule.passes(WIDGETS[0], Budget())]
    assert len(entry.health) == 7 and len(seen) == 3


@given(crd=hostile_json("versions", "name", "v1", "schema"), value=hostile_json("type"))
def test_a_draft_is_yaml_in_the_form_whatever_a_cluster_sends(
    crd: Any, value: Any
) -> None:
    hostile = definition(additionalPrinterColumns=value)
    objects = [crd, {"status": value}, {"status": {"phase": value, "state": "yes"}}]
    objects.append(
        {"status": {"conditions": [value, {"type": value, "status": "True"}]}}
    )
    for each in (crd, {"spec": crd}, hostile, {"spec": {"versions": [value]}}):
        text = draft(Definition("example.org", "On", "v1", each), objects)
        assert list(kinds_in(yaml.safe_load(text), "")) == [("example.org", "On")]
        assert all(len(line) < 250 for line in text.splitlines())
        assert text.count("\n") < 100 and text.replace("\n", "").isprintable()


def test_a_draft_is_bounded() -> None:
    states = [f"S{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(600)]
    many = {f"p{name}": {"type": "string", "enum": states} for name in states}
    schema = {"openAPIV3Schema": {"properties": {"status": {"properties": many}}}}
    held = [{"type": name, "status": "True"} for name in states]
    objects = [{"status": {"phase": name, "conditions": held}} for name in states]
    text = draft(Definition("a", "B", "v1", definition(schema=schema)), objects)
    assert text.count("\n") < 20 * 32 + 80
