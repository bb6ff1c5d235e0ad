"""Watches that go on for days: emitted traces are whole, and memory is bounded."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from kubectl_spy.core.cluster.event_store import ObservedEvent
from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from tests.examples import part
from tests.extras.spans.model.watch import Document, Watch, deployment, event, obj, pod
from tests.tracing import START

Ids = tuple[str, str]


def whole(spans: list[Span]) -> dict[Ids, Span]:
    """Return *spans* by their ids.

    Raises:
        AssertionError: one comes twice, or is in two traces, or has no parent.
    """
    known = {(each.trace_id, each.span_id): each for each in spans}
    assert len(known) == len(spans)
    assert {each.revision for each in spans} <= {1}
    assert len({each.span_id for each in spans}) == len(spans)
    for each in spans:
        if each.parent_id:
            parent = known[each.trace_id, each.parent_id]
            assert parent.start <= each.start
            assert parent.end is None or (each.end or 0) <= parent.end
        else:
            assert each.kind is SpanKind.CHANGE
    return known


def lease(watch: Watch, number: int) -> None:
    at = rfc3339(START + 2 * number)
    watch.observe(2 * number, obj("Lease", "web", generation=0, spec={"renewTime": at}))


def runs(watch: Watch, number: int) -> None:
    """Run a CronJob, as it is each minute: a Job, a Pod, and Events about it."""
    at = 60.0 * number
    if not number:
        watch.observe(0, obj("CronJob", "web"))
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    job = obj("Job", f"job-{number}", "web", status=done)
    own = pod(f"pod-{number}", False, owner=f"job-{number}")
    watch.sees((at + 1, job), (at + 2, own))
    watch.observe(at + 3, pod(f"pod-{number}", owner=f"job-{number}"))
    about = {"kind": "CronJob", "uid": "uid-web", "name": "web"}
    # One is counted up, another one is made anew, and deleted after an hour.
    again = event("web", at + 4, number + 1, involvedObject=about, reason="Made")
    watch.observe(at + 4, again)
    seen: Document = {
        "involvedObject": about,
        "firstTimestamp": rfc3339(START + at + 5),
    }
    once = named(event("web", at + 5, **seen), number)
    watch.observe(at + 5, once)
    if number >= 60:
        watch.observe(at + 6, named(once, number - 60), "DELETED")
    if number >= 3:
        for each in (job, own):
            name = each["metadata"]["name"].replace(str(number), str(number - 3))
            meta = {**each["metadata"], "name": name, "uid": f"uid-{name}"}
            watch.observe(at + 7, {**each, "metadata": meta}, "DELETED")


def named(found: Document, number: int) -> Document:
    uid = f"event-{number}"
    return {**found, "metadata": {**found["metadata"], "name": uid, "uid": uid}}


def flips(watch: Watch, number: int) -> None:
    """Change a spec twenty times in a second, the rollout never being over before."""
    template = {"metadata": {"annotations": {"i": str(number)}}}
    watch.observe(number / 20, deployment(number + 1, 0, template=template))


def changes(watch: Watch, number: int) -> None:
    """Change a spec every ten seconds, each rollout taking two."""
    template = {"metadata": {"annotations": {"i": str(number)}}}
    at = 10.0 * number
    watch.observe(at, deployment(number + 1, 0, template=template))
    watch.observe(at + 2, deployment(number + 1, 1, template=template))


def breaks(watch: Watch, number: int) -> None:
    """Break a Deployment each minute, that is never changed."""
    if not number:
        watch.observe(0, deployment())
    watch.observe(60.0 * number + 30, deployment(available=0))
    watch.observe(60.0 * number + 32, deployment())


SCENES = [("Lease", lease), ("CronJob", runs), ("Deployment", changes)]
SCENES += [("Deployment", breaks)]


def followed(
    kind: str,
    scene: Callable[[Watch, int], None],
    steps: int,
    keep: int,
    most: int = 50_000,
) -> tuple[Watch, list[Span]]:
    watch = Watch(kind, emits=True, keep=keep, most=most)
    spans: list[Span] = []
    for number in range(steps):
        scene(watch, number)
        spans += watch.log.finished(watch.log.time)
    return watch, spans + watch.log.flush(watch.log.time)


def everything(
    kind: str, scene: Callable[[Watch, int], None], steps: int
) -> list[Span]:
    watch = Watch(kind)
    for number in range(steps):
        scene(watch, number)
    assert watch.log.spans_left_out == watch.log.objects_left_out == 0
    return watch.log.spans(watch.log.time)


@pytest.mark.parametrize(("kind", "scene"), SCENES)
def test_emitted_spans_are_whole(
    kind: str, scene: Callable[[Watch, int], None]
) -> None:
    steps = part(80 if scene is runs else 250)  # a run is ten objects
    live, spans = followed(kind, scene, steps, part(10))
    assert whole(spans) == whole(everything(kind, scene, steps))
    left = live.log.spans(START + 99_999)
    assert len(left) <= 300
    assert live.log.spans_left_out > 0
    whole(left)


@pytest.mark.parametrize(("kind", "scene"), SCENES)
def test_the_last_traces_are_kept(
    kind: str, scene: Callable[[Watch, int], None]
) -> None:
    few, steps = Watch(kind, keep=30), 130 if scene is runs else 700
    for number in range(steps):
        scene(few, number)
    spans, left = everything(kind, scene, steps), few.log.spans(few.log.time)
    assert 0 < len(left) <= 900
    assert few.log.spans_left_out > 0
    whole(spans)
    # Of objects that are long gone, the spans are not in the traces that are kept.
    kept = {each.trace_id for each in left if not each.parent_id}
    assert {each.trace_id for each in left} == kept
    assert set(left) <= set(spans)
    assert left[-1].start == spans[-1].start


def test_all_phases_and_events_of_a_recording_are_shown() -> None:
    watch = Watch()
    watch.observe(0, deployment())
    for number in range(700):
        about = {"kind": "Deployment", "uid": "uid-web", "name": "web"}
        watch.observe(number, named(event("web", 1, involvedObject=about), number))
        watch.observe(number + 0.1, deployment(available=0))
        watch.observe(number + 0.2, deployment())
    again = event("web", 1, 1, involvedObject=about, reason="Again")
    for number in range(300):
        at = 10_000.0 + 1000 * number
        watch.observe(
            at, {**again, "count": number + 1, "lastTimestamp": rfc3339(START + at)}
        )
    names = [each.name for each in watch.log.spans(START + 1e6)]
    assert names.count("Deployment.Scheduled") == 700
    assert names.count("Deployment.Unavailable") == 700
    assert names.count("Deployment.Again") == 300
    assert watch.log.spans_left_out == 0


def stuck(watch: Watch, number: int) -> None:
    """A Deployment that never gets well; a Pod of it never does for long."""
    if not number:
        watch.observe(0, deployment(available=0))
    watch.sees((10.0 * number, pod(ready=False)), (10.0 * number + 1, pod()))


@pytest.mark.parametrize("scene", [stuck, flips])
def test_endless_traces_are_bounded(scene: Callable[[Watch, int], None]) -> None:
    live, spans = followed("Deployment", scene, 300, 10, most=250)
    assert len(live.log.spans(START + 1e6)) <= 300
    assert live.log.spans_left_out > 100
    whole(spans)
    assert sorted(each.name for each in spans if each.kind is SpanKind.PHASE) == sorted(
        each.name
        for each in everything("Deployment", scene, 300)
        if each.kind is SpanKind.PHASE
    )


def a_hundred_events() -> tuple[Watch, list[Span]]:
    """Return a watch that keeps one of them, and the spans that it emitted."""
    watch = Watch("Pod", emits=True, keep=1)
    spans: list[Span] = []
    watch.observe(0, pod("web", owner=""))
    for number in range(100):
        at = 1000.0 * number
        watch.observe(at + 1, event("web", at, number + 1))
        spans += watch.log.finished(watch.log.time)
    return watch, spans


def test_an_event_that_was_dropped_is_another_span_when_it_happens_again() -> None:
    watch, spans = a_hundred_events()
    assert watch.log.spans_left_out > 50
    watch.lists(200_000, 199_000, event("web", 99_000, 100))
    spans += watch.log.flush(START + 300_000)
    assert len(whole(spans)) == 200


def test_late_events_from_before_the_horizon_stay_hidden() -> None:
    watch, spans = a_hundred_events()
    late = event("web", 7000, firstTimestamp=rfc3339(START + 7000))
    watch.lists(200_000, 5000, named(late, 1), event("web", 99_000, 100))
    spans += watch.log.flush(START + 300_000)
    assert len(whole(spans)) == 200


def test_events_that_were_deleted_are_not_kept() -> None:
    def held() -> int:
        gc.collect()
        return sum(isinstance(each, ObservedEvent) for each in gc.get_objects())

    before = held()
    few = Watch("CronJob", keep=30)
    for number in range(130):
        runs(few, number)
    # 60 are not deleted yet, and the last 50 of an object may say why it fails.
    assert held() - before < 120


def test_events_may_come_long_before_their_object() -> None:
    watch = Watch(keep=10)
    watch.observe(1, event("web-1", 1))
    for number in (1, 2, 3):
        watch.observe(100 * number, deployment(number))
    watch.observe(400, pod())
    assert "Pod.Scheduled" in watch.spans()
