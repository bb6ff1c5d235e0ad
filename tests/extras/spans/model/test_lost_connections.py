"""A list after a lost connection is dated by its own times, and moves no clock."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kubectl_spy.core.changes.line_reading import line_of
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.core.changes.recording_format import change_line, stream_line
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.extras.spans.model.span_log import SpanLog
from tests.extras.spans.model.watch import (
    Document,
    Watch,
    deployment,
    event,
    pod,
    times,
)
from tests.recordings import sealed
from tests.tracing import START

THERE = (("there", -40), ("a", 1), ("b", 30))
SKEWS = pytest.mark.parametrize("ahead", [0.0, -300.0, 5000.0])


def created(second: float, ahead: float = 0.0) -> Document:
    return {"creationTimestamp": rfc3339(START + second + ahead)}


def bound(name: str, second: float, ahead: float = 0.0, **parts: object) -> Document:
    """Return a Pod that was made at a second, scheduled one later, ready four later."""

    def condition(kind: str, later: int) -> Document:
        at = rfc3339(START + second + later + ahead)
        return {"type": kind, "status": "True", "lastTransitionTime": at}

    started = rfc3339(START + second + 3 + ahead)
    status = {
        "phase": "Running",
        "conditions": [condition("PodScheduled", 1), condition("Ready", 4)],
        "containerStatuses": [
            {"name": "app", "ready": True, "state": {"running": {"startedAt": started}}}
        ],
    }
    return {**pod(name, metadata=created(second, ahead)), "status": status}


def seen_to_happen(watch: Watch, ahead: float) -> None:
    """Have two Pods made while one looks, as the cluster's clock has it."""
    for second in (1, 3):
        made = pod(f"known-{second}", metadata=created(second, ahead))
        watch.observe(second, made, "ADDED")


@SKEWS
def test_missed_changes_are_dated_by_their_content(ahead: float) -> None:
    watch = Watch()
    watch.lists(0, 0, deployment(metadata=created(-50, ahead)))
    known = [
        pod(f"known-{second}", metadata=created(second, ahead)) for second in (0, 1, 3)
    ]
    watch.lists(0, 0, known[0])
    seen_to_happen(watch, ahead)
    watch.lists(200, 100, *known, bound("missed", 150, ahead))
    (below,) = [
        each
        for each in watch.log.spans(START + 999)
        if dict(each.attributes).get("k8s.pod.name") == "missed" and each.name == "Pod"
    ]
    assert times(below)[0] == pytest.approx(150, abs=1)
    assert times(below)[1] == pytest.approx(154, abs=1)


def test_too_old_content_is_dated_by_its_discovery() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", ready=False, owner=""))
    watch.observe(90, pod("web", ready=False, owner="", spec={"nodeName": "n"}))
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": rfc3339(START)}
    later = pod("web", owner="")
    later["status"]["conditions"] = [ready]
    watch.lists(200, 100, later)
    assert times(watch.spans()["Pod.Pending"]) == (0, 200)


def test_missed_phases_are_read_from_the_object() -> None:
    watch = Watch("Pod")
    web = bound("web", 0)
    del web["metadata"]["ownerReferences"]
    watch.observe(0, {**web, "status": {"phase": "Pending"}}, "ADDED")
    moved = bound("web", 100)
    watch.lists(200, 90, {**web, "status": moved["status"]})
    spans = watch.spans()
    assert times(spans["Pod.Pending"]) == pytest.approx((0, 101), abs=1)
    creating = times(spans["Pod.ContainerCreating"])
    assert creating == pytest.approx((101, 103), abs=1)
    assert times(spans["Pod.create"])[1] == pytest.approx(104, abs=1)


def test_events_that_were_missed_are_dated_by_what_they_say() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", ready=False, owner="")), (1, event("web", 1)))
    new = event("web", 160, reason="New", firstTimestamp=rfc3339(START + 120))
    new["metadata"] = {**new["metadata"], "uid": "e2", "name": "e2"}
    watch.lists(200, 100, event("web", 140, 3), new)
    assert times(watch.spans()["Pod.Scheduled"]) == pytest.approx((0, 140), abs=1)
    span = watch.spans()["Pod.New"]
    assert times(span) == pytest.approx((120, 160), abs=1)


@pytest.mark.parametrize("looks", [0.25, 7.0, 1000.0])
def test_emitted_spans_stay_and_a_replay_emits_the_same(looks: float) -> None:
    live = Watch(emits=True)
    spans: list[Span] = []
    live.lists(0, 0, deployment(metadata=created(-50)))
    live.lists(0, 0, pod("there", metadata=created(-40)))
    live.log.finished(START)
    looked = 0.0
    for second, document in (
        (1.0, pod("a", ready=False, metadata=created(1))),
        (2.0, pod("a", metadata=created(1))),
        (30.0, pod("b", ready=False, metadata=created(30))),
        (31.5, pod("b", metadata=created(30))),
    ):
        while looked + looks < second:
            looked += looks
            spans += live.log.finished(START + looked)
        live.observe(second, document, "ADDED" if second in (1, 30) else "MODIFIED")
    missed = [bound(f"missed-{at}", at) for at in (120, 170)]
    known = [pod(name, metadata=created(at)) for name, at in THERE]
    live.lists(300, 100, *known, *missed)
    spans += live.log.finished(START + 320)
    spans += live.log.flush(START + 900)
    ids = [(each.trace_id, each.span_id) for each in spans]
    assert len(set(ids)) == len(ids)
    replayed = list(replayed_spans(live.records))
    assert sorted(replayed, key=str) == sorted(spans, key=str)


def replayed_spans(records: Iterable[ChangeRecord]) -> list[Span]:
    """Return the spans of a recording of *records*."""
    log = SpanLog(Scope((), (), lambda it: it.gvk.kind == "Deployment"), emits=True)
    spans: list[Span] = []
    for item in recorded(records):
        log.observe(item)
        spans += log.finished()
    return spans + log.flush(log.time)


def recorded(records: Iterable[ChangeRecord]) -> list[Item]:
    """Return *records* as a recording gives them back."""
    playback = Playback()
    streams = {each.selection: None for each in records}
    numbers = {selection: number for number, selection in enumerate(streams)}
    lines = [
        {"seq": 0, "time": rfc3339(START), "type": "STREAM", **stream_line(n, each)}
        for each, n in numbers.items()
    ]
    lines += [change_line(each, numbers[each.selection]) for each in records]
    return [
        item
        for seq, line in enumerate(lines)
        for item in playback.observe(line_of(sealed({**line, "seq": seq})))
        if not isinstance(item, Aside)
    ]


def test_a_burst_that_waited_on_its_way_is_no_other_clock() -> None:
    watch = Watch()
    watch.observe(0, deployment(available=0, metadata=created(-90)), "LISTED")
    for number in range(5):
        made = pod(f"late-{number}", metadata=created(30 + number * 5))
        watch.observe(300 + number / 100, made, "ADDED")
    assert times(watch.spans()["Deployment.create"])[0] == -90
