"""Spans of every recorded stream: what always holds of them, and what they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.extras.spans.model.span import Span, SpanKind
from tests.examples import examples
from tests.spanning import merged, recorded_items, shuffled, span_log, tree
from tests.tracing import START

SCENES = [
    ("deploy-rollout", "Deployment/nginx"),
    ("deploy-rollout", "Service/nginx"),
    ("workloads", "StatefulSet/db"),
    ("workloads", "DaemonSet/agent"),
    ("workloads", "Job/migrate"),
    ("workloads", "Job/failing"),
    ("workloads", "CronJob/tick"),
    ("pod-boot", "Pod/nginx"),
    ("pod-bad-image", "Pod/nginx"),
    ("pod-crashloop", "Pod/crasher"),
    ("pod-oom-liveness", "Pod/hog"),
    ("pod-oom-liveness", "Pod/sick"),
    ("pod-oom-liveness", "Pod/badinit"),
    ("pod-bad-volume", "Pod/novol"),
    ("pod-bad-volume", "Pod/nosched"),
    ("pod-bad-volume", "Pod/multi"),
    ("recreate", "Pod/same"),
    ("custom-resource", "Widget/w0"),
    ("node", "Node/node1"),
    ("secret-config", "Secret/db-credentials"),
]
JOINED_LATER = [
    ("deploy-rollout", "Deployment/nginx", 2.3),
    ("deploy-rollout", "Deployment/nginx", 29),
    ("workloads", "StatefulSet/db", 2.8),
    ("pod-crashloop", "Pod/crasher", 19),
]
END = START + 1000
ALL = [(*scene, 0.0) for scene in SCENES] + JOINED_LATER


def check(spans: list[Span]) -> None:
    """Assert what holds of all spans.

    Raises:
        AssertionError: it does not.
    """
    known = {(span.trace_id, span.span_id): span for span in spans}
    assert len(known) == len(spans)
    assert [span.start for span in spans] == sorted(span.start for span in spans)
    roots = [span for span in spans if not span.parent_id]
    assert all((span.kind is SpanKind.CHANGE) == (span in roots) for span in spans)
    assert len({span.trace_id for span in roots}) == len(roots)
    for span in spans:
        assert (len(span.trace_id), len(span.span_id)) == (32, 16)
        assert span.name
        assert span.end is None or span.start <= span.end
        if not span.parent_id:
            continue
        parent = known[span.trace_id, span.parent_id]
        assert parent.kind in (SpanKind.CHANGE, SpanKind.OBJECT)
        assert parent.start <= span.start
        assert parent.end is None or (span.end is not None and span.end <= parent.end)


@pytest.mark.parametrize(("stream", "target"), SCENES, ids=str)
def test_spans_equal_their_golden_files(
    stream: str, target: str, golden: Callable[[str, str], None]
) -> None:
    log = span_log(merged(recorded_items(stream)), target)
    name = target.replace("/", "-").lower()
    golden(f"spans-{stream}-{name}.txt", tree(log.spans(END)))


@pytest.mark.parametrize(("stream", "target", "since"), JOINED_LATER, ids=str)
def test_spans_of_late_watches_equal_their_golden_files(
    stream: str, target: str, since: float, golden: Callable[[str, str], None]
) -> None:
    log = span_log(merged(recorded_items(stream, since)), target)
    name = target.replace("/", "-").lower()
    golden(f"spans-{stream}-{name}-{since}.txt", tree(log.spans(END)))


@pytest.mark.parametrize(("stream", "target", "since"), ALL, ids=str)
def test_spans_are_whole_after_each_record(
    stream: str, target: str, since: float
) -> None:
    items = merged(recorded_items(stream, since))
    log = span_log(items[:1], target, streams=[each.selection for each in items])
    for item in items[1:]:
        log.observe(item)
        check(log.spans(log.time))
    check(log.spans(END))


@pytest.mark.parametrize(("stream", "target", "since"), ALL, ids=str)
def test_clock_skew_makes_no_span_long(stream: str, target: str, since: float) -> None:
    log = span_log(merged(recorded_items(stream, since)), target)
    for span in log.spans(END):
        assert span.end is None or span.end - span.start < 120


@pytest.mark.parametrize(("stream", "target", "since"), ALL, ids=str)
def test_streams_in_any_order_give_the_same_spans(
    stream: str, target: str, since: float
) -> None:
    items = recorded_items(stream, since)
    expected = span_log(merged(items), target).spans(END)

    @examples(8)
    @given(st.integers(0, 1 << 32))
    def same(seed: int) -> None:
        assert span_log(shuffled(items, seed), target).spans(END) == expected

    same()


@pytest.mark.parametrize(("stream", "target"), SCENES, ids=str)
def test_emitted_spans_are_all_spans(stream: str, target: str) -> None:
    emitted: dict[tuple[str, str], Span] = {}
    items = merged(recorded_items(stream))
    log = span_log(items[:1], target, streams=[each.selection for each in items])
    for place, item in enumerate(items[1:]):
        log.observe(item)
        if place % 20 == 0:
            for span in log.finished(log.time):
                assert span.end is not None
                emitted[span.trace_id, span.span_id] = span
    for span in log.flush(END):
        emitted[span.trace_id, span.span_id] = span
    assert sorted(emitted.values(), key=str) == sorted(log.spans(END), key=str)
    assert log.flush(END) == log.finished(END) == []


def test_a_phase_that_is_a_reason_of_opentelemetry_has_it_as_attribute() -> None:
    log = span_log(merged(recorded_items("pod-crashloop")), "Pod/crasher")
    phases = {each.name: dict(each.attributes) for each in log.spans(END)}
    reason = "k8s.container.status.reason"
    assert phases["Pod.CrashLoopBackOff"][reason] == "CrashLoopBackOff"
    assert reason not in phases["Pod.create"]
