"""Spans as bars: to scale, within the width, folded to the height."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.render.columns import Bars, Scale
from kubectl_spy.render.palette import PLAIN, coloured
from tests.spanning import merged, recorded_items, span_log
from tests.tracing import START, UTC

SCENES = [
    ("deploy-rollout", "Deployment/nginx", 120, 0),
    ("deploy-rollout", "Deployment/nginx", 80, 30),
    ("pod-crashloop", "Pod/crasher", 100, 0),
    ("workloads", "Job/failing", 60, 0),
    ("pod-boot", "Pod/nginx", 80, 0),
]


def spans_of(stream: str, target: str) -> tuple[list[Span], float]:
    log = span_log(merged(recorded_items(stream)), target)
    return log.spans(log.time), log.time


def gantt(
    *, unicode: bool = True, namespace: str | None = "shop", full: bool = False
) -> Gantt:
    return Gantt(PLAIN, namespace=namespace, zone=UTC, unicode=unicode, full=full)


def span(
    name: str, start: float, end: float | None, parent: str = "", **more: str
) -> Span:
    kind = SpanKind.PHASE if parent else SpanKind.CHANGE
    return Span(
        trace_id="t",
        span_id=name,
        parent_id=parent,
        kind=kind,
        name=name,
        service="kubelet",
        start=START + start,
        end=None if end is None else START + end,
        attributes=(("k8s.pod.name", "web"), ("k8s.namespace.name", "shop")),
        **more,  # type: ignore[arg-type]
    )


SPANS = [
    span("Pod.create", 0, None),
    span("Pod.Pending", 0, 2.5, "Pod.create"),
    span("Pod.Scheduled", 2.5, 2.5, "Pod.create"),
    span("Pod.Error", 5, 7, "Pod.create", error="it \x1b[2J fails"),
    span("Pod.NotReady", 8, None, "Pod.create"),
]


@pytest.mark.parametrize(("stream", "target", "width", "height"), SCENES, ids=str)
def test_bars_are_as_they_were_reviewed(
    stream: str,
    target: str,
    width: int,
    height: int,
    golden: Callable[[str, str], None],
) -> None:
    spans, now = spans_of(stream, target)
    name = target.replace("/", "-").lower()
    for full, kind in ((False, "gantt"), (True, "gantt-full")):
        drawing = gantt(namespace=stream, full=full)
        lines = drawing.lines(spans, now, width=width, height=height)
        file = f"{kind}-{stream}-{name}-{width}x{height}.txt"
        golden(file, "\n".join(lines) + "\n")


def test_bars_are_to_scale_and_open_ones_continue() -> None:
    assert gantt(full=True).lines(SPANS, START + 10, width=60) == [
        "15:04:05     Pod.create… ████████████████████████▶     10s+",
        "  Pod.Pending            ██████▎                       2.5s",
        "  Pod.Scheduled                ·                        0ms",
        "  Pod.Error                          ▐████▌        ✗   2.0s",
        "  Pod.NotReady                               ████▶    2.0s+",
        "✗ Pod.Error: it \\u001b[2J fails",
    ]


def test_without_unicode_bars_are_of_ascii() -> None:
    lines = gantt(unicode=False).lines(SPANS, START + 10, width=60)
    assert "\n".join(lines).isascii()
    assert lines[1].split()[1:] == ["======", "2.5s"]


def test_errors_are_red_and_the_rest_is_not() -> None:
    palette = coloured()
    lines = Gantt(palette, namespace="shop", zone=UTC).lines(
        SPANS, START + 10, width=60
    )
    assert [palette.bad in line for line in lines] == [False] * 3 + [True, False, True]


def test_without_spans_nothing_is_drawn() -> None:
    assert gantt().lines([], START, width=80) == []


@pytest.mark.parametrize("height", [1, 2, 5, 20, 50, 100])
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_lines_fit_the_width_and_the_height(width: int, height: int) -> None:
    spans, now = spans_of("deploy-rollout", "Deployment/nginx")
    for unicode in (True, False):
        lines = gantt(unicode=unicode).lines(spans, now, width=width, height=height)
        assert len(lines) <= height
        assert max(map(len, lines)) <= max(width, 26)


def test_failed_and_unfinished_spans_are_shown_first() -> None:
    fine = [span(f"Pod.Fine{at}", 1, 2, "Pod.create") for at in range(100)]
    fine = [each._replace(kind=SpanKind.OBJECT) for each in fine]
    lines = gantt().lines([*SPANS, *fine], START + 10, width=80, height=8)
    assert len(lines) == 8
    text = "\n".join(lines)
    assert "Pod.create" in text and "Pod.Error" in text and "Pod.NotReady" in text
    assert "more lines, for which there is no room here" in lines[-1]


def test_another_namespace_is_named() -> None:
    (head, *_) = gantt(namespace="other").lines(SPANS, START + 10, width=120)
    assert "Pod.create web (in shop)" in head


@given(
    st.floats(0, 100),
    st.floats(0, 100),
    st.booleans(),
    st.integers(1, 60),
    st.booleans(),
)
def test_a_bar_covers_what_it_stands_for(
    start: float, length: float, over: bool, width: int, unicode: bool
) -> None:
    scale = Scale(0, 100, width)
    end = min(start + length, 100.0)
    bar = Bars(unicode=unicode).bar(scale, start, end if over else None)
    assert len(bar) == width
    drawn = bar.strip()
    assert drawn and " " not in drawn
    first, last = bar.index(drawn), bar.index(drawn) + len(drawn)
    assert abs(first - start / 100 * width) <= 1
    assert abs(last - (end if over else 100) / 100 * width) <= 1.5


def test_a_start_of_another_day_has_its_date() -> None:
    day = 24 * 3600
    for unicode in (True, False):
        lines = gantt(unicode=unicode).lines(SPANS, START + day, width=80)
        assert lines[0].startswith("2026-11-21 15:04:05 Pod.create web")
        assert max(map(len, lines)) <= 80
    lines = gantt().lines([SPANS[0]._replace(start=START + 0.25)], START + 9, width=80)
    assert lines[0].startswith("15:04:05.250 Pod.create web")


def failed(number: int) -> list[Span]:
    wrong = [
        span(f"Pod.E{at}", at, at + 1, "Pod.create", error=f"e{at}")
        for at in range(number)
    ]
    return [SPANS[0], *wrong]


def test_the_latest_errors_are_shown_and_others_counted() -> None:
    lines = gantt().lines(failed(4), START + 10, width=80)
    assert lines[5:] == [f"✗ Pod.E{at}: e{at}" for at in range(4)]
    lines = gantt().lines(failed(11), START + 20, width=80)
    assert lines[12:] == [
        "✗ Pod.E8: e8",
        "✗ Pod.E9: e9",
        "✗ Pod.E10: e10",
        "✗ and 8 more before; -o json has all",
    ]


@pytest.mark.parametrize(("unicode", "cross"), [(True, "✗"), (False, "x")])
def test_failed_spans_are_marked_without_colours(unicode: bool, cross: str) -> None:
    lines = gantt(unicode=unicode).lines(SPANS, START + 10, width=80)
    marked = [re.search(f" {cross} +[0-9.]+s", line) is not None for line in lines]
    assert marked == [False, False, False, True, False, False]
    fine = gantt(unicode=unicode).lines(SPANS[:3], START + 10, width=80)
    assert not any(f" {cross} " in line for line in fine)


@pytest.mark.parametrize("width", [20, 47, 80, 130])
def test_wide_characters_and_those_of_no_width_shift_nothing(width: int) -> None:
    odd = [
        span("Pod.镜像拉取失败原因", 1, 2, "Pod.create", error="配置文件错误，" * 30),
        span("Pod.e\u0301\u0301\u0301", 2, 3, "Pod.create"),
    ]
    odd = [each._replace(service="镜像控制器" * 4, start=each.start) for each in odd]
    lines = gantt().lines([*SPANS[:4], *odd], START + 10, width=width)
    assert max(map(cell_len, lines)) <= max(width, 26)
    found = [re.search(r" [0-9.]+m?s(?=[ +]|$)", line) for line in lines[1:6]]
    ends = {cell_len(each.string[: each.end()]) for each in found if each is not None}
    assert len(ends) == 1 and None not in found
    assert width < 80 or any("错误" in line for line in lines[6:])


def test_a_namespace_is_not_in_itself() -> None:
    names = (("k8s.namespace.name", "shop"), ("k8s.namespace.uid", "u"))
    root = span("Namespace.create", 0, 1)._replace(attributes=names)
    (line,) = gantt(namespace="other").lines([root], START + 2, width=120)
    assert "Namespace.create shop " in line and "(in" not in line


def test_a_long_kind_leaves_room_for_the_name() -> None:
    root = span("HorizontalPodAutoscaler.create", 0, 1)
    root = root._replace(attributes=(("k8s.hpa.name", "web"),))
    (line,) = gantt(full=True).lines([root], START + 2, width=80)
    assert line.startswith("15:04:05     Hori…ler.create web ")
    (line,) = gantt(full=True, unicode=False).lines([root], START + 2, width=90)
    assert line.startswith("15:04:05     Horiz...aler.create web ")
    (line,) = gantt().lines([root], START + 2, width=80)
    assert line.startswith("15:04:05     HorizontalPodAutoscaler.create web █")
    (line,) = gantt().lines([root], START + 2, width=62)
    assert line.startswith("15:04:05     Horizont…oscaler.create web █")
    below = span("HorizontalPodAutoscaler", 0, 1, "Pod.create")
    below = below._replace(attributes=root.attributes, kind=SpanKind.OBJECT)
    lines = gantt().lines([SPANS[0], below], START + 2, width=50)
    assert "web" in lines[1]
