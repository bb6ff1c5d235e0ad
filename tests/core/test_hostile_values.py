"""Whatever value stands in whatever field: every fold goes on, and so does its output.

Values are those that an API server's own checks let through or that a custom one might
send: integers of 64 bits and more, times at both ends of the calendar, and halves of
surrogate pairs, which JSON may hold and UTF-8 may not.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kubectl_spy.core.causes.writes import folded
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Listed
from kubectl_spy.core.cluster.event_log import EventLog
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.patch.semantic import semantic_changes
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.core.trace.transitions import transitions
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.encoding import Encoding
from kubectl_spy.extras.spans.model.span import span_json
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.extras.spans.page import page
from kubectl_spy.render.event_lines import EventLines
from kubectl_spy.render.machine import event_json
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.summary import Sections
from kubectl_spy.render.summary_json import (
    busiest,
    failure_json,
    flap_json,
    unwell_json,
    write_json,
)
from kubectl_spy.render.tracing.lines import LineRenderer
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.picture_json import picture_json
from kubectl_spy.render.tracing.tree import TreeRenderer
from kubectl_spy.sources.recording.recording import Recording as ReadRecording
from kubectl_spy.sources.watching.watch_stream import is_object
from tests.builders import bundled
from tests.examples import examples
from tests.extras.serve.api_server.streams import Recording
from tests.recordings import recorder_to
from tests.tracing import START, UTC, selections_of

SCENES = [
    ("deploy-rollout", "Deployment"),
    ("workloads", "StatefulSet"),
    ("workloads", "DaemonSet"),
    ("workloads", "Job"),
    ("workloads", "CronJob"),
    ("deploy-rollout", "Service"),
    ("pod-oom-liveness", "Pod"),
    ("pod-bad-image", "Pod"),
    ("pod-bad-volume", "Pod"),
    ("node", "Node"),
]
NUMBERS = [2**62, -(2**62), 2**63 - 1, 2**64 - 1, 10**30, 1e308, -1e308, 0.5, -1, 0]
TIMES = [
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00Z",
    "9998-12-31T23:59:59Z",
    "9999-12-31T23:59:59-14:00",
]
TEXTS = [
    "\ud800",
    "a\udfffb",
    "",
    "9" * 30,
    "999999999%",
    "٣",
    "\0\n\x1b[2J",
    "x" * 300,
]
HOSTILE: list[Any] = [
    *NUMBERS,
    *TIMES,
    *TEXTS,
    None,
    True,
    [],
    {},
    [None],
    ["\ud800"],
    [[1]],
]
NEVER_RECORDED = [
    "activeDeadlineSeconds",
    "deletionGracePeriodSeconds",
    "failureThreshold",
    "minReadySeconds",
    "series",
    "ttlSecondsAfterFinished",
]
DELETED = "2026-11-21T15:04:30Z"


def with_values(value: Any, chosen: dict[str, Any]) -> Any:
    """Return *value* with its members of the *chosen* names replaced, at any depth."""
    if isinstance(value, dict):
        return {
            name: chosen[name] if name in chosen else with_values(member, chosen)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [with_values(each, chosen) for each in value]
    return value


def hostile(document: dict[str, Any], chosen: dict[str, Any]) -> dict[str, Any] | None:
    """Return *document* with what is *chosen*, as a watch would bring it, if it did."""
    changed = with_values(document, chosen)
    metadata = changed.get("metadata")
    if isinstance(metadata, dict) and "deletionGracePeriodSeconds" in chosen:
        metadata["deletionTimestamp"] = chosen.get("deletionTimestamp", DELETED)
        metadata["deletionGracePeriodSeconds"] = chosen["deletionGracePeriodSeconds"]
    parsed: dict[str, Any] = loads(dumps(copy.deepcopy(changed)))
    return parsed if is_object(parsed) else None


def events(
    recording: Recording,
    selections: dict[Collection, Selection],
    chosen: dict[str, Any],
) -> Iterator[WatchEvent]:
    """Yield what the watches of *recording* bring, with hostile values."""
    for collection, selection in selections.items():
        yield WatchEvent(EventType.LISTING, selection, START)
        for of, each in recording.initial:
            document = hostile(each, chosen) if of == collection else None
            if document is not None:
                yield WatchEvent(EventType.LISTED, selection, START, document)
        yield WatchEvent(EventType.SYNCED, selection, START)
    for step in recording.steps:
        document = hostile(step.object, chosen)
        if document is not None:
            kind = EventType.DELETED if step.deleted else EventType.MODIFIED
            selection = selections[step.collection]
            yield WatchEvent(kind, selection, START + step.time, document)


def items(history: History, happened: list[WatchEvent]) -> Iterator[Item]:
    for each in happened:
        yield from history.observe(each)
        if each.type is EventType.SYNCED:
            yield Listed(each.selection, 0, history.time)


@cache
def names(stream: str) -> list[str]:
    """Return the names of all members in a recorded stream, but what makes a type."""
    found: set[str] = set(NEVER_RECORDED)
    recording = bundled(stream)
    pending: list[Any] = [step.object for step in recording.steps]
    pending += [document for _, document in recording.initial]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            found |= value.keys()
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return sorted(found - {"apiVersion", "kind", "metadata"})


@st.composite
def scenes(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    stream, kind = draw(st.sampled_from(SCENES))
    members = st.sampled_from(names(stream)) | st.sampled_from(NEVER_RECORDED)
    chosen = st.dictionaries(members, st.sampled_from(HOSTILE), min_size=1, max_size=4)
    return stream, kind, draw(chosen)


@examples(20)
@given(scenes())
@example(("pod-oom-liveness", "Pod", {"deletionGracePeriodSeconds": -(2**62)}))
@example(("pod-oom-liveness", "Pod", {"deletionGracePeriodSeconds": 2**62}))
@example(("pod-oom-liveness", "Pod", {"uid": "\ud800"}))
@example(("deploy-rollout", "Deployment", {"uid": ""}))
@example(("deploy-rollout", "Service", {".": "\ud800", "ipFamilyPolicy": 10**30}))
def test_hostile_values_stop_no_fold_and_no_output(
    scene: tuple[str, str, dict[str, Any]],
) -> None:
    stream, kind, chosen = scene
    recording = bundled(stream)
    watched = selections_of(recording)
    selections = list(watched.values())
    happened = list(events(recording, watched, chosen))
    told = list(items(History(), happened))

    def scope() -> Scope:
        return Scope((), selections, lambda record: record.gvk.kind == kind)

    check_trace(Trace(scope()), told)
    check_events(EventLog(scope()), told)
    check_spans(SpanLog(scope()), told)
    check_summary(Summary(scope(), lambda record: True), told)
    check_recording(happened, selections)


def check_trace(trace: Trace, told: list[Item]) -> None:
    parts = Parts(PLAIN, namespace="shop")
    lines, tree = LineRenderer(parts, zone=UTC), TreeRenderer(parts)
    pictures = []
    for number, item in enumerate(told):
        trace.observe(item)
        if not number % 50:
            pictures.append(trace.picture())
            reasons = trace.reasons(pictures[-1])
            "\n".join(tree.tree(pictures[-1], trace.seen.time, reasons)).encode()
    pictures.append(trace.picture())
    for picture in pictures:
        assert loads(dumps(picture_json(picture, Coverage())))["objects"] is not None
    for before, after in pairwise(pictures):
        "".join(map(lines.line, transitions(before, after))).encode()


def check_events(log: EventLog, told: list[Item]) -> None:
    for item in told:
        log.observe(item)
    news = log.news()
    EventLines(PLAIN, namespace="shop", zone=UTC).lines(news).encode()
    for event in news:
        assert loads(event_json(event).encode())["type"]


def check_spans(log: SpanLog, told: list[Item]) -> None:
    for item in told:
        log.observe(item)
    spans, encoding = log.spans(log.time), Encoding()
    for span in spans:
        assert loads(dumps(span_json(span)))["spanId"]
        encoding.encode(span, log.time).to_json()
    gantt = Gantt(PLAIN, namespace="shop", zone=UTC)
    "\n".join(gantt.lines(spans, log.time, width=80, height=0)).encode()
    page(spans, title="spans", generated=log.time).encode()


def check_summary(summary: Summary, told: list[Item]) -> None:
    for item in told:
        summary.observe(item, item if isinstance(item, ChangeRecord) else None)
    summary.pass_time(max((each.time for each in told), default=0.0) + 3600)
    failures, flaps = summary.failures(), summary.flaps.found()
    waiting = summary.unwell(failures)
    sections = Sections(PLAIN, 80, full=False, days=2, spaces=2)
    counts = busiest(summary.contents, summary.counts)
    shown = [
        *sections.failures("Failed", failures),
        *sections.unwell(waiting),
        *sections.writes(folded(summary.shown), []),
        *sections.flaps("Goes back and forth", flaps),
        *sections.busiest(counts),
    ]
    "\n".join(shown).encode()
    as_json = [*map(failure_json, failures), *map(unwell_json, waiting), counts]
    as_json += map(flap_json, flaps)
    assert loads(dumps([*as_json, *map(write_json, summary.shown)])) is not None


def check_recording(happened: list[WatchEvent], selections: list[Selection]) -> None:
    """What is read of a recording is what was recorded."""
    with TemporaryDirectory() as directory:
        file = Path(directory) / "hostile.spy"
        history = History()
        recorder = recorder_to(file, history, selections=selections)
        written = []
        for item in items(history, happened):
            recorder.observe(item)
            written.append(item)
        recorder.end("done")
        recording = ReadRecording(str(file))
        read = list(recording)
        assert not recording.damages
    assert lines(read) == lines(written)


def lines(records: Iterable[Item | Aside]) -> list[bytes]:
    """Return the changes among *records* as lines, less their own numbers."""
    return [
        dumps({**each.as_json(), "seq": 0})
        for each in records
        if isinstance(each, ChangeRecord)
    ]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_stop_no_semantic_diff(value: object) -> None:
    before = {"list": [value, {"a": [value]}], "value": value}
    after = {"list": [{"a": [value, 1]}, value, value], "value": [value]}
    assert list(semantic_changes(before, after))
