"""Spans in a terminal that is too low: details go first, and the rest is counted."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.render.palette import PLAIN
from tests.examples import examples
from tests.tracing import START, UTC

NOW = START + 5_000
WIDTH = 100


def drawn(spans: Sequence[Span], height: int = 0, *, full: bool = True) -> list[str]:
    gantt = Gantt(PLAIN, namespace="shop", zone=UTC, full=full)
    return gantt.lines(spans, NOW, width=WIDTH, height=height)


def made(seed: int, traces: int, size: int) -> list[Span]:
    """Return *traces* of up to *size* spans: objects in objects, the rest in them."""
    dice = random.Random(seed)
    spans = []
    for trace in range(traces):
        objects: list[str] = []
        for at in range(dice.randint(1, size)):
            kind = SpanKind.CHANGE
            if objects:
                kind = dice.choice((SpanKind.OBJECT, SpanKind.PHASE, SpanKind.EVENT))
            start = START + trace * 100 + dice.random() * 50
            spans.append(
                Span(
                    trace_id=f"t{trace}",
                    span_id=f"s{trace}-{at}",
                    parent_id=dice.choice(objects) if objects else "",
                    kind=kind,
                    name=dice.choice(("Pod.create", "Pod.Pending", "Pod.BackOff")),
                    service="kubelet",
                    start=start,
                    end=None if dice.random() < 0.1 else start + dice.random() * 20,
                    attributes=(("k8s.pod.name", "w" * dice.randint(1, 30)),),
                    error=dice.choice(("", "", "", "bad", "worse", f"e{at}"))
                    if objects
                    else "",
                )
            )
            if kind in (SpanKind.CHANGE, SpanKind.OBJECT) and len(objects) < 5:
                objects.append(spans[-1].span_id)
    return spans


def kept(span: Span, detail: int) -> bool:
    """Return whether a level of detail has room for a span, said in another way."""
    if not span.parent_id or detail == 3:
        return True
    bad, on = bool(span.error), span.end is None
    return {
        SpanKind.EVENT: bad and detail == 2,
        SpanKind.OBJECT: detail >= 1,
        SpanKind.PHASE: detail == 2 or (detail == 1 and (bad or on)),
        SpanKind.CHANGE: True,
    }[span.kind]


def foldings(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield what is to be tried, one after the other: old traces lose theirs first."""
    roots = sorted((each for each in spans if not each.parent_id), key=_start)
    details = {each.trace_id: 3 for each in roots}
    *old, last = [each.trace_id for each in roots]
    steps = [(trace, level) for level in (2, 1, 0) for trace in old]
    yield list(spans)
    for trace, level in (*steps, (last, 2), (last, 1)):
        details[trace] = level
        yield [each for each in spans if kept(each, details[each.trace_id])]


def _start(span: Span) -> tuple[float, float]:
    return span.start, float("inf") if span.end is None else span.end


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 12), st.integers(2, 60))
@examples(150)
def test_folding_gives_what_trying_each_level_of_detail_gives(
    seed: int, traces: int, size: int, height: int
) -> None:
    spans = made(seed, traces, size)
    tried = (drawn(each) for each in foldings(spans))
    fitting = next((lines for lines in tried if len(lines) <= height), None)
    lines = drawn(spans, height)
    if fitting is not None:
        assert lines == fitting
        return
    assert len(lines) <= height
    missing = re.fullmatch(r"(\d+) more lines, for which there is no.*", lines[-1])
    *_, least = foldings(spans)
    told = [line for line in lines[:-1] if not line.startswith("✗") and line]
    there = [line for line in drawn(least) if not line.startswith("✗") and line]
    assert missing is not None and int(missing[1]) >= len(there) - len(told) > 0


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 12), st.integers(1, 60))
@examples(150)
def test_folded_rows_fit_the_height_with_what_was_changed(
    seed: int, traces: int, size: int, height: int
) -> None:
    what = ("k8s.change.what", "image nginx:1.25 → nginx:1.26 · " * 5)
    spans = [
        each._replace(
            end=each.start if each.kind is SpanKind.EVENT else each.end,
            attributes=each.attributes + (() if each.parent_id else (what,)),
        )
        for each in made(seed, traces, size)
    ]
    lines = drawn(spans, height, full=False)
    assert len(lines) <= height
    assert max(map(len, lines)) <= WIDTH
    whole = drawn(spans, full=False)
    assert max(map(len, whole)) <= WIDTH and len(whole) >= len(lines)


@given(st.integers(0, 2**32), st.integers(5, 30))
@examples(50)
def test_failed_spans_are_kept_before_others(seed: int, height: int) -> None:
    fine = [
        each._replace(error="", kind=SpanKind.OBJECT, end=each.start + 1)
        for each in made(seed, 1, 100)
        if each.parent_id
    ]
    assume(fine)
    root = made(seed, 1, 1)[0]
    fine = [each._replace(parent_id=root.span_id) for each in fine]
    wrong = fine[0]._replace(span_id="wrong", name="Pod.Wrong", error="it fails")
    for full in (True, False):
        lines = drawn([root, *fine, wrong], height, full=full)
        assert len(lines) <= height
        assert any("Pod.Wrong" in line for line in lines)


def test_deep_spans_show_a_number_for_their_depth() -> None:
    chain = [
        each._replace(span_id=f"s{at}", parent_id=f"s{at - 1}" if at else "")
        for at, each in enumerate(made(1, 1, 1) * 3_000)
    ]
    chain = [each._replace(kind=SpanKind.OBJECT) for each in chain]
    lines = drawn(chain)
    assert len(lines) == 3_000
    assert lines[8].startswith(" " * 16 + "Pod.")
    assert lines[9].startswith(" " * 16 + "+1 Pod.")
    assert lines[-1].startswith(" " * 16 + "+2991 Pod.")
    assert len(drawn(chain, 40)) == 40
