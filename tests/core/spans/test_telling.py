"""Each span is told once, when nothing can make it another one any more."""

from __future__ import annotations

from kubectl_spy.core.spans.span import Span
from kubectl_spy.core.times import rfc3339
from tests.core.spans.told import Told, deployment, event, obj, pod
from tests.tracing import START


def named(spans: list[Span]) -> list[str]:
    return [each.name for each in spans]


def test_a_warning_that_comes_every_five_minutes_is_told_once() -> None:
    told = Told(tells=True)
    told.tell(0, deployment(), "LISTED")
    told.log.finished(START)
    told.tell(1, pod())
    spans: list[Span] = []
    for time in range(2, 4000):
        if time % 300 == 2 and time < 2000:
            told.tell(time, event("web-1", time, time // 300 + 1, type="Warning"))
        spans += told.log.finished(START + time)
    reported = [each for each in spans if each.name == "Pod.Scheduled"]
    assert [dict(each.attributes)["k8s.event.count"] for each in reported] == [7]
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)
    assert told.log.flush(START + 4000) == []
    assert {each.revision for each in spans} == {1}


def test_what_is_as_it_should_be_is_told_after_five_seconds_and_phases_at_once() -> (
    None
):
    told = Told(tells=True)
    told.tell(0, deployment(available=0), "ADDED")
    told.log.finished(START)
    told.tell(2, deployment())
    told.tell(2.5, event("web", 2, involvedObject={"uid": "uid-web"}))
    assert named(told.log.finished(START + 5)) == ["Deployment.Unavailable"]
    assert named(told.log.finished(START + 7)) == []
    assert sorted(named(told.log.finished(START + 20))) == [
        "Deployment.Scheduled",
        "Deployment.create",
    ]


def test_what_is_held_back_is_told_at_the_end() -> None:
    told = Told("Pod", tells=True)
    told.tell(0, pod("web", ready=False, owner=""), "ADDED")
    told.tell(1, event("web", 1, type="Warning"))
    assert told.log.finished(START + 100) == []
    spans = told.log.flush(START + 100)
    assert sorted((each.name, each.end is None) for each in spans) == [
        ("Pod.Pending", True),
        ("Pod.Scheduled", False),
        ("Pod.create", True),
    ]
    assert told.log.flush(START + 101) == []


def test_an_event_that_is_repeated_after_a_long_quiet_is_a_trace_of_its_own() -> None:
    told = Told("Pod", tells=True)
    told.tell(0, pod("web", owner=""), "ADDED")
    told.tell(1, event("web", 1, type="Warning"))
    told.tell(700, event("web", 700, 2, type="Warning"))
    spans = told.log.finished(START + 5000)
    assert named(spans) == [
        "Pod.create",
        "Pod.Scheduled",
        "Pod.activity",
        "Pod.Scheduled",
    ]
    assert [each.end - each.start < 2 for each in spans if each.end] == [True] * 4


def test_what_has_grown_after_it_was_told_says_so() -> None:
    told = Told("Pod", tells=True)
    told.lists(0, 0, pod("web", ready=False, owner=""))
    told.lists(0, 0, event("web", 0))
    told.log.finished(START)
    told.tell(2, pod("web", owner=""))
    first = told.log.finished(START + 60)
    late = event("web", 5, 2, reason="Late", firstTimestamp=rfc3339(START + 4))
    late["metadata"] = {**late["metadata"], "uid": "e2", "name": "e2"}
    told.lists(70, 3, event("web", 0), late)
    again = told.log.finished(START + 800)
    revised = [each for each in again if each.revision > 1]
    assert named(revised) == ["Pod.create"]
    (before,) = [each for each in first if each.span_id == revised[0].span_id]
    assert (before.revision, before.start) == (1, revised[0].start)
    assert revised[0].as_json()["revision"] == 2
    assert "revision" not in before.as_json()
    assert "Pod.Late" in named(again)


def test_what_is_gone_is_let_go_when_it_was_told_and_not_before() -> None:
    told = Told(tells=True, keep=10)
    told.tell(0, deployment(), "LISTED")
    told.log.finished(START)
    told.tell(1, event("web", 1, involvedObject={"uid": "uid-web"}, type="Warning"))
    spans: list[Span] = []
    for number in range(50):
        told.tell(2 + number, pod(f"web-{number}", ready=False))
        told.tell(2.5 + number, pod(f"web-{number}"), "DELETED")
        spans += told.log.finished(START + 3 + number)
    assert "Pod" not in named(spans)
    assert told.log.left_out == 0
    spans += told.log.finished(START + 5000)
    told.tell(5000, deployment(2, 0))
    told.tell(5002, deployment(2, 1))
    spans += told.log.finished(START + 9000)
    assert named(spans).count("Pod") == named(spans).count("Pod.Pending") == 50
    assert told.log.left_out == 40
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)


def test_of_traces_that_never_end_what_is_gone_is_told_before_it_is_let_go() -> None:
    told = Told(tells=True, keep=2)
    told.tell(0, deployment(available=0), "LISTED")
    told.log.finished(START)
    spans: list[Span] = []
    for number in range(50):
        told.tell(2 + number, pod(f"web-{number}", ready=False))
        told.tell(2.5 + number, pod(f"web-{number}"), "DELETED")
        spans += told.log.finished(START + 3 + number)
    assert 0 < told.log.left_out < 50
    spans += told.log.flush(START + 60)
    assert named(spans).count("Pod") == named(spans).count("Pod.Pending") == 50
    assert len({(each.trace_id, each.span_id) for each in spans}) == len(spans)


def test_events_of_what_is_never_shown_are_let_go() -> None:
    told = Told("Pod", keep=10)
    told.tell(0, obj("Pod", "web"), "LISTED")
    told.tell(1, event("nobody", 1))
    told.tell(100, event("web", 100))
    told.tell(200, event("web", 200, 2))
    told.tell(300, event("web", 300, 3))
    told.tell(301, pod("nobody", owner="web"))
    about = [dict(each.attributes)["k8s.pod.name"] for each in told.log.spans(START)]
    assert "nobody" in about
    events = [each for each in told.log.spans(START) if each.kind.value == "event"]
    assert {dict(each.attributes)["k8s.pod.name"] for each in events} == {"web"}
