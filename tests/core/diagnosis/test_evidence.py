"""Kinds without rules: what their status tells of a failure, and for how long."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from tests.builders import node, obj
from tests.examples import examples
from tests.json_documents import hostile_json
from tests.tracing import START, diagnosis, found, inventory

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING
UNJUDGED, WARNING = Verdict.UNJUDGED, Verdict.WARNING


def when(type_: str, status: str = "True", reason: str = "", **more: Any) -> Any:
    """Return a condition that has been so for an hour."""
    since = rfc3339(START - 3600)
    known = {"type": type_, "status": status, "reason": reason}
    return known | {"lastTransitionTime": since} | more


def widget(*conditions: JSON, **status: Any) -> dict[str, Any]:
    return obj(
        "Widget", "w0", spec={}, status={"conditions": list(conditions), **status}
    )


READY = when("Ready")


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (widget(when("Ready", "False", "InstallFailed")), FAILING),
        (widget(when("Ready", "False", "Creating")), WAITING),
        (widget(when("Ready", "Unknown", "CheckFailed")), WAITING),
        (widget(when("Ready", "False", severity="Error")), FAILING),
        (widget(when("Ready", "False", "PullFailed", severity="Info")), WAITING),
        (widget(when("NotReady", "True", "TimedOut")), FAILING),
        (widget(when("Blue", "False", "PaintNotFound")), FAILING),
        (widget(when("Blue")), UNJUDGED),
        (widget(READY), OK),
        (widget(READY, when("Degraded")), FAILING),
        (widget(READY, when("Degraded", severity="Warning")), WARNING),
        (widget(READY, when("Synced", "False", "SyncError")), WARNING),
        (widget(when("Available"), when("Progressing", "False", "Aborted")), FAILING),
        (widget(when("Available"), when("Progressing", "False", "Done")), OK),
        (widget(READY, phase="Error"), FAILING),
        (widget(when("Completed"), phase="Succeeded"), UNJUDGED),
        (widget(healthy=False), FAILING),
        (widget(ready=False), WAITING),
        (widget(failureMessage="no such image"), FAILING),
        (widget(statuses={"a": {"state": "Rejected"}, "b": 7}), FAILING),
        (widget(listeners=[{"conditions": [when("Ready", "False")]}]), WAITING),
        (node(status={"conditions": [READY, when("DiskPressure")]}), WARNING),
        (node(status={"conditions": [READY, when("ReadonlyFilesystem")]}), FAILING),
    ],
)
def test_a_mark_follows_from_what_the_status_says(
    status: dict[str, Any], verdict: Verdict
) -> None:
    assert diagnosis(status).verdict is verdict


def at(seconds: float, document: dict[str, Any]) -> Verdict:
    """Return the verdict on an object, so many seconds after it was listed."""
    seen = inventory(document)
    (entry,) = seen.every("example.com", "Widget")
    diagnose(entry, seen)
    while seen.pass_time(START + seconds):
        pass
    return diagnose(entry, seen).verdict


@pytest.mark.parametrize(
    ("since", "last_seconds"),
    [(-30.0, 30), (0.0, 60), (9_999.0, 60), (None, 60)],
)
def test_what_tells_of_a_failure_fails_after_a_minute(
    since: float | None, last_seconds: int
) -> None:
    told = when("Ready", "False", "PullFailed")
    told["lastTransitionTime"] = None if since is None else rfc3339(START + since)
    assert at(last_seconds - 1, widget(told)) is WAITING
    assert at(last_seconds, widget(told)) is FAILING


def test_a_kind_that_never_gets_a_status_is_there_after_a_minute() -> None:
    config = obj("Widget", "w0", spec={"size": 1})
    assert (at(59, config), at(61, config)) == (WAITING, UNJUDGED)


def test_where_nothing_is_known_the_message_is_printed() -> None:
    said = diagnosis(widget(reason="Held", message="404 from the issuer"))
    assert (said.verdict, said.summary) == (UNJUDGED, "Held: 404 from the issuer")


def test_a_part_of_an_object_has_findings_of_its_own() -> None:
    listener = {"name": "https", "conditions": [when("Programmed", "False", "Invalid")]}
    said = diagnosis(widget(listeners=[listener]))
    assert found(said, "condition/listener https/Programmed") == (
        FAILING,
        "listener https: Programmed is False (Invalid)",
    )


CONDITIONS = st.builds(
    when,
    st.sampled_from(["Ready", "Available", "Degraded", "Synced", "Blue", "NotReady"]),
    st.sampled_from(["True", "False", "Unknown", ""]),
    st.sampled_from(["", "Creating", "PullFailed"]),
    severity=st.sampled_from(["", "Info", "Error"]),
)


@given(st.lists(CONDITIONS, unique_by=lambda each: each["type"]), st.randoms())
@examples(200)
def test_the_order_of_conditions_does_not_matter(conditions: Any, chance: Any) -> None:
    other = list(conditions)
    chance.shuffle(other)
    first, second = (diagnosis(widget(*each)) for each in (conditions, other))
    assert _told(first) == _told(second)


def _told(said: Diagnosis) -> tuple[Verdict, set[tuple[str, Verdict]]]:
    return said.verdict, {(each.about, each.verdict) for each in said.findings}


@given(hostile_json("conditions", "type", "status", "state", "message"))
@examples(200)
def test_any_status_is_judged(junk: JSON) -> None:
    status = dict.fromkeys(("conditions", "listeners", "phase", "statuses"), junk)
    said = diagnosis(obj("Widget", "w0", status=status | {"error": junk, "x": junk}))
    assert said.phase


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (when("Blue", "", "Why", message="so"), "Blue is without a status (Why: so)"),
        (when("Blue", ""), "Blue is without a status"),
        (when("Blue", message="so"), "Blue is True (so)"),
    ],
)
def test_a_condition_is_told_whatever_it_lacks(condition: JSON, told: str) -> None:
    assert found(diagnosis(widget(condition)), "condition/Blue")[1] == told


def test_what_a_condition_says_is_no_reason_to_leave_out_the_state() -> None:
    condition = when("Reconciling", reason="Progressing", message="it is applied")
    assert diagnosis(widget(condition)).summary == "it is applied"


def test_a_rule_names_the_path_and_value_that_it_read() -> None:
    paused = obj(
        "Rollout",
        "web",
        apiVersion="argoproj.io/v1alpha1",
        spec={"paused": True},
        status={"observedGeneration": "1"},
    )
    (told,) = diagnosis(paused).findings
    assert (told.args["path"], told.args["value"]) == ("spec/paused", "true")
