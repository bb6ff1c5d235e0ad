"""What the commands say of objects that no rule judges, and of what fails in time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import Selection
from kubectl_spy.core.times import rfc3339
from tests.builders import event, obj, resource
from tests.cli.command import Spy
from tests.recordings import ORIGIN, START, first_list, record

WIDGETS = Selection(resource("Widget", "example.com"), "shop")
COMMANDS = ("status", "changes", "trace", "events", "spans")


def widget(rv: str = "1", **status: Any) -> dict[str, Any]:
    made = rfc3339(START - 3600)
    metadata = {"creationTimestamp": made, "resourceVersion": rv}
    return obj("Widget", "w0", spec={"size": 1}, status=status, metadata=metadata)


def recorded(file: Path, status: dict[str, Any], *later: tuple[float, Any]) -> str:
    """Record a Widget with a *status*, and its *later* ones."""
    events = first_list(widget(**status), time=START, selection=WIDGETS)
    for number, (seconds, each) in enumerate(later, 2):
        new, time = widget(str(number), **each), START + seconds
        events.append(event("MODIFIED", new, time=time, selection=WIDGETS))
    owned = ORIGIN._replace(owned=True)
    record(file, events, selections=[WIDGETS], origin=owned)
    return str(file)


def unready(reason: str, since: float) -> dict[str, Any]:
    told = {"type": "Ready", "status": "False", "reason": reason}
    return {"conditions": [told | {"lastTransitionTime": rfc3339(START + since)}]}


@pytest.mark.parametrize("command", COMMANDS)
def test_ready_cannot_come_where_no_rule_says_when(
    spy: Spy, tmp_path: Path, command: str
) -> None:
    file = recorded(tmp_path / "a.spy", {"phase": "Fine"})
    ended = spy.run(command, "widget/w0", "--for", "ready", "--from", file)
    assert ended.code == 1
    assert ended.err.splitlines()[-1] == (
        "error: widget.example.com/w0: no rule says when a Widget is ready; use --for "
        "condition=NAME, or add one: kubectl spy help kinds widget.example.com"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_what_tells_of_a_failure_for_a_minute_has_failed(
    spy: Spy, tmp_path: Path, command: str
) -> None:
    mended = {"conditions": [{"type": "Ready", "status": "True"}]}
    soon = (30, unready("PullFailed", 29)), (60, mended)
    late = (30, unready("PullFailed", 29)), (120, mended)
    for name, later, code in (("soon", soon, 1), ("late", late, 0)):
        file = recorded(tmp_path / f"{name}.spy", unready("Creating", -600), *later)
        words = (command, "widget/w0", "--for", "failed", "--from", file)
        ended = spy.run(*words)
        assert ended.code == code, (name, ended)


def test_a_summary_names_the_kinds_that_it_cannot_judge(
    spy: Spy, tmp_path: Path
) -> None:
    blue = {"conditions": [{"type": "Blue", "status": "True"}]}
    file = recorded(tmp_path / "a.spy", blue)
    assert (
        "nothing failed among what is judged; no Events were recorded, so what only "
        "they tell is not seen; 1 kind is not: widget.example.com"
    ) in spy.run("summary", file).out
    told = json.loads(spy.run("summary", file, "-o", "json").out)
    assert told["unjudged"] == ["widget.example.com"]


def test_unjudged_has_a_mark_and_a_verdict(spy: Spy, tmp_path: Path) -> None:
    file = recorded(tmp_path / "a.spy", {"phase": "Not enough disk space"})
    printed = spy.run("trace", "widget/w0", "--from", file).out
    assert "· widget.example.com/w0  Not enough disk space" in printed
    line = spy.run("trace", "widget/w0", "--from", file, "-o", "json").out
    assert json.loads(line)["objects"][0]["verdict"] == "unjudged"
