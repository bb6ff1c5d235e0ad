"""Kinds without rules of their own: by their conditions, and what they own."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.objects import JSON
from tests.builders import node, obj, reported
from tests.tracing import diagnosis, found, recorded_pictures

OK, WAITING, FAILING, UNJUDGED = (
    Verdict.OK,
    Verdict.WAITING,
    Verdict.FAILING,
    Verdict.UNJUDGED,
)


def widget(*conditions: dict[str, JSON], **status: Any) -> dict[str, Any]:
    """Return a custom resource of generation 2."""
    return obj(
        "Widget",
        "w0",
        metadata={"generation": 2},
        spec={"size": 3},
        status={"conditions": list(conditions), **status},
    )


def ready(status: str, **more: Any) -> dict[str, JSON]:
    return {"type": "Ready", "status": status, "reason": "Because", **more}


def test_a_ready_condition_is_believed_once_it_is_about_this_generation() -> None:
    old = diagnosis(widget(ready("True", observedGeneration=1)))
    now = diagnosis(widget(ready("True", observedGeneration=2)))
    assert (old.verdict, now.verdict) == (WAITING, OK)
    behind = diagnosis(widget(ready("True"), observedGeneration=1))
    assert behind.verdict is WAITING
    assert "generation 1, not 2" in behind.summary


def test_a_condition_that_is_not_as_it_should_be_says_why() -> None:
    said = diagnosis(widget(ready("False", message="no quota")))
    assert said.verdict is WAITING
    assert found(said, "condition/Ready") == (
        WAITING,
        "Ready is False (Because: no quota)",
    )


def test_a_status_that_no_rule_reads_is_unjudged() -> None:
    said = diagnosis(widget(phase="Not enough disk space"))
    assert (said.phase, said.verdict) == ("Not enough disk space", UNJUDGED)


def test_unknown_conditions_do_not_count() -> None:
    said = diagnosis(widget(ready("True"), {"type": "Blue", "status": "False"}))
    assert said.verdict is OK
    assert found(said, "condition/Blue")[0] is UNJUDGED


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret", "ServiceAccount"])
def test_an_object_without_status_exists_or_not(kind: str) -> None:
    said = diagnosis(obj(kind, "a"))
    assert (said.phase, said.verdict, said.summary) == ("Present", UNJUDGED, "")


def test_a_node_under_pressure_is_reported() -> None:
    pressed = node(
        "n1",
        status={
            "conditions": [
                {"type": "DiskPressure", "status": "True", "reason": "Full"},
                {"type": "Ready", "status": "True", "reason": "KubeletReady"},
            ]
        },
    )
    said = diagnosis(pressed)
    assert found(said, "condition/DiskPressure") == (
        Verdict.WARNING,
        "DiskPressure is True (Full)",
    )
    assert said.verdict is Verdict.WARNING
    assert found(said, "condition/Ready")[0] is OK


def test_the_recorded_widgets_are_followed_to_their_end() -> None:
    seen = [
        (root.phase, root.verdict)
        for _, picture in recorded_pictures("custom-resource", "Widget/w0")
        for root in picture.roots
    ]
    assert [phase for phase, _ in dict.fromkeys(seen)][-1:] == ["Ready"]
    assert seen[-1][1] is OK


def test_an_owner_in_another_namespace_is_told_also_later() -> None:
    owned = obj("ConfigMap", "a", owner="app")
    owned["metadata"]["ownerReferences"][0] |= {"kind": "App", "name": "app"}
    told = reported("OwnerRefInvalidNamespace", about=owned)
    verdict, text = found(diagnosis(owned, told), "owner")
    assert verdict is Verdict.WARNING and "App app" in text
    assert not any(it.about == "owner" for it in diagnosis(owned).findings)


def test_a_definition_that_is_being_deleted_waits_for_its_objects() -> None:
    name = "widgets.example.org"
    gone = {
        "deletionTimestamp": "2026-11-21T15:04:05Z",
        "finalizers": ["customresourcecleanup.apiextensions.k8s.io"],
    }
    crd = obj("CustomResourceDefinition", name, None, metadata=gone)
    (remedy,) = (it.remedy for it in diagnosis(crd).findings)
    assert remedy == f"kubectl get {name} -A"


@pytest.mark.parametrize(
    "junk", [None, 7, "x", [], [1, None, {"type": 3}], {"type": "Ready"}]
)
def test_junk_is_diagnosed_too(junk: JSON) -> None:
    said = diagnosis({**widget(), "status": {"conditions": junk, "phase": junk}})
    assert said.phase
