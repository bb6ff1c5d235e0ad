"""Each span is emitted once, when it can no longer change."""

from __future__ import annotations

from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.span import Span, span_json
from tests.extras.spans.model.watch import Watch, deployment, event, obj, pod
from tests.tracing import START


def named(spans: list[Span]) -> list[str]:
    return [each.name for each in spans]


def test_a_warning_that_comes_every_five_minutes_is_emitted_once() -> None:
    watch = Watch(emits=True)
    watch.observe(0, deployment(), "LISTED")
    watch.log.finished(START)
    watch.observe(1, pod())
    spans: list[Span] = []
    for time in range(2, 4000):
        if time % 300 == 2 and time < 2000:
            watch.observe(time, event("web-1", time, time // 300 + 1, type="Warning"))
        spans += watch.log.finished(START + time)
    reported = [each for each in spans if each.name == "Pod.Scheduled"]
    assert [dict(each.attributes)["k8s.event.count"] for each in reported] == [7]
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)
    assert watch.log.flush(START + 4000) == []
    assert {each.revision for each in spans} == {1}


def test_phases_are_emitted_at_their_end_and_traces_after_five_seconds() -> None:
    watch = Watch(emits=True)
    watch.observe(0, deployment(available=0), "ADDED")
    watch.log.finished(START)
    watch.observe(2, deployment())
    watch.observe(2.5, event("web", 2, involvedObject={"uid": "uid-web"}))
    assert named(watch.log.finished(START + 5)) == ["Deployment.Unavailable"]
    assert named(watch.log.finished(START + 7)) == []
    assert sorted(named(watch.log.finished(START + 20))) == [
        "Deployment.Scheduled",
        "Deployment.create",
    ]


def test_spans_that_are_not_final_are_emitted_at_the_end() -> None:
    watch = Watch("Pod", emits=True)
    watch.observe(0, pod("web", ready=False, owner=""), "ADDED")
    watch.observe(1, event("web", 1, type="Warning"))
    assert watch.log.finished(START + 100) == []
    spans = watch.log.flush(START + 100)
    assert sorted((each.name, each.end is None) for each in spans) == [
        ("Pod.Pending", True),
        ("Pod.Scheduled", False),
        ("Pod.create", True),
    ]
    assert watch.log.flush(START + 101) == []


def test_an_event_repeated_much_later_is_a_new_trace() -> None:
    watch = Watch("Pod", emits=True)
    watch.sees((0, pod("web", owner=""), "ADDED"), (1, event("web", 1, type="Warning")))
    watch.observe(700, event("web", 700, 2, type="Warning"))
    spans = watch.log.finished(START + 5000)
    assert named(spans) == [
        "Pod.create",
        "Pod.Scheduled",
        "Pod.activity",
        "Pod.Scheduled",
    ]
    assert [each.end - each.start < 2 for each in spans if each.end] == [True] * 4


def test_a_span_that_grows_after_it_was_emitted_has_a_higher_revision() -> None:
    watch = Watch("Pod", emits=True)
    watch.lists(0, 0, pod("web", ready=False, owner=""))
    watch.lists(0, 0, event("web", 0))
    watch.log.finished(START)
    watch.observe(2, pod("web", owner=""))
    first = watch.log.finished(START + 60)
    late = event("web", 5, 2, reason="Late", firstTimestamp=rfc3339(START + 4))
    late["metadata"] = {**late["metadata"], "uid": "e2", "name": "e2"}
    watch.lists(70, 3, event("web", 0), late)
    again = watch.log.finished(START + 800)
    revised = [each for each in again if each.revision > 1]
    assert named(revised) == ["Pod.create"]
    (before,) = [each for each in first if each.span_id == revised[0].span_id]
    assert (before.revision, before.start) == (1, revised[0].start)
    assert span_json(revised[0])["revision"] == 2
    assert "revision" not in span_json(before)
    assert "Pod.Late" in named(again)


def test_deleted_objects_are_dropped_after_they_were_emitted() -> None:
    watch = Watch(emits=True, keep=10)
    watch.observe(0, deployment(), "LISTED")
    watch.log.finished(START)
    watch.observe(1, event("web", 1, involvedObject={"uid": "uid-web"}, type="Warning"))
    spans: list[Span] = []
    for number in range(50):
        watch.observe(2 + number, pod(f"web-{number}", ready=False))
        watch.observe(2.5 + number, pod(f"web-{number}"), "DELETED")
        spans += watch.log.finished(START + 3 + number)
    assert "Pod" not in named(spans)
    assert watch.log.objects_left_out == 0
    spans += watch.log.finished(START + 5000)
    watch.sees((5000, deployment(2, 0)), (5002, deployment(2, 1)))
    spans += watch.log.finished(START + 9000)
    assert named(spans).count("Pod") == named(spans).count("Pod.Pending") == 50
    assert watch.log.objects_left_out == 40
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)


def test_dropped_objects_are_emitted_first() -> None:
    watch = Watch(emits=True, keep=2)
    watch.observe(0, deployment(available=0), "LISTED")
    watch.log.finished(START)
    spans: list[Span] = []
    for number in range(50):
        watch.observe(2 + number, pod(f"web-{number}", ready=False))
        watch.observe(2.5 + number, pod(f"web-{number}"), "DELETED")
        spans += watch.log.finished(START + 3 + number)
    assert 0 < watch.log.objects_left_out < 50
    spans += watch.log.flush(START + 60)
    assert named(spans).count("Pod") == named(spans).count("Pod.Pending") == 50
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)


def test_events_about_objects_that_are_never_shown_are_dropped() -> None:
    watch = Watch("Pod", keep=10)
    watch.sees((0, obj("Pod", "web"), "LISTED"), (1, event("nobody", 1)))
    watch.sees((100, event("web", 100)), (200, event("web", 200, 2)))
    watch.sees((300, event("web", 300, 3)), (301, pod("nobody", owner="web")))
    about = [dict(each.attributes)["k8s.pod.name"] for each in watch.log.spans(START)]
    assert "nobody" in about
    events = [each for each in watch.log.spans(START) if each.kind.value == "event"]
    assert {dict(each.attributes)["k8s.pod.name"] for each in events} == {"web"}
