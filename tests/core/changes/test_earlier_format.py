"""Each sentence on a watch that formats before 1.6 have, and what it says of whom."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.lines import tells_states
from kubectl_spy.core.changes.playback import note_in, states
from kubectl_spy.core.objects import Selection
from tests.builders import ALL_PODS

MAPS, NODES, SECRETS = (
    Selection(
        ALL_PODS.resource._replace(
            plural=name, gvk=ALL_PODS.resource.gvk._replace(kind=name)
        )
    )
    for name in ("configmaps", "nodes", "secrets")
)
EVERY = [ALL_PODS, MAPS, NODES, SECRETS]

LOST = (
    "connection lost: 10.0.0.1:6443 refused the connection; trying again in 2 s",
    "connection lost: the server ends each watch at once; trying again in 30 s",
    "refused: the server is unable to handle the request; trying again in 1 s",
    "no answer for 5 s; still waiting",
    "no new credentials for 5 s; still waiting",
    "10.0.0.1:6443 did not answer; trying again in 30 s",
)
BACK = (
    "watching again",
    "watching",
    "watching again; an unknown number of versions was missed (GAP)",
    "watching; an unknown number of versions was missed (GAP)",
)


def said(message: str, every: list[Selection] = EVERY) -> dict[str, bool | None]:
    return {
        each.selection.resource.plural: each.back for each in states(message, 1, every)
    }


@pytest.mark.parametrize("text", LOST + BACK)
def test_a_sentence_is_about_the_types_that_it_names(text: str) -> None:
    back = text in BACK
    assert said(f"pods: {text}") == {"pods": back}
    assert said(f"pods, nodes: {text}") == {"pods": back, "nodes": back}


@pytest.mark.parametrize("text", LOST)
def test_it_is_uncertain_whether_a_type_that_it_only_counts_broke(text: str) -> None:
    assert said(f"pods, configmaps and 1 more: {text}") == {
        "pods": False,
        "configmaps": False,
        "nodes": None,
        "secrets": None,
    }


@pytest.mark.parametrize("text", BACK)
def test_a_type_that_it_only_counts_is_not_back(text: str) -> None:
    told = said(f"pods, configmaps and 1 more: {text}")
    assert told == {"pods": True, "configmaps": True}


def test_without_a_type_it_is_about_the_only_one_or_perhaps_any() -> None:
    assert said(LOST[0], [MAPS, MAPS]) == {"configmaps": False}
    assert said(LOST[0]) == dict.fromkeys(("pods", "configmaps", "nodes", "secrets"))
    assert said(BACK[0]) == {}


def test_notes_are_about_no_watch() -> None:
    note = "note: pods not listed for an hour: what may belong to it is missing"
    missing = "note: not listed yet: pods; what is shown lacks them"
    assert (said(note), note_in(note)) == ({}, note)
    assert (said(missing), note_in(missing)) == ({}, "")
    assert note_in(f"pods: {LOST[0]}") == ""


@pytest.mark.parametrize(
    ("version", "tells"),
    [("1.6", True), ("1.10", True), ("1.5", False), ("1", False), (None, False)],
)
def test_the_format_tells_whether_a_sentence_must_be_read(
    version: str | None, tells: bool
) -> None:
    assert tells_states({"version": version}) is tells
