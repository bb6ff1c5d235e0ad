"""Fewer rows than spans: what is folded into other rows, and that it is counted."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.drawing.span_rows import slim, traces
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.render.palette import PLAIN, coloured
from tests.examples import examples
from tests.extras.spans.drawing.test_gantt_folding import made
from tests.spanning import merged, recorded_items
from tests.tracing import START, UTC


def watched(stream: str, *targets: str) -> tuple[list[Span], float]:
    """Return the spans of *targets* (`Deployment/nginx`), and their time."""

    def is_root(record: ChangeRecord) -> bool:
        return f"{record.gvk.kind}/{record.name}" in targets

    items = merged(recorded_items(stream))
    selections = dict.fromkeys(each.selection for each in items)
    log = SpanLog(Scope((), list(selections), is_root))
    for each in items:
        log.observe(each)
    return log.spans(log.time), log.time


def drawn(stream: str, *targets: str, unicode: bool = True) -> list[str]:
    spans, now = watched(stream, *targets)
    gantt = Gantt(PLAIN, namespace=stream, zone=UTC, unicode=unicode)
    return gantt.lines(spans, now, width=80)


def test_a_root_says_what_was_changed_and_by_whom() -> None:
    lines = drawn("deploy-rollout", "Deployment/nginx")
    (at,) = [at for at, line in enumerate(lines) if "Deployment.update" in line]
    change = "  image nginx:1.13-alpine → nginx:1.12-alpine  (kubectl-set)"
    assert lines[at + 1] == change
    assert "  replicas 3 → 5  (kubectl)" in lines
    plain = drawn("deploy-rollout", "Deployment/nginx", unicode=False)
    assert "\n".join(plain).isascii() and change.replace("→", "->") in plain


def test_an_empty_bar_shows_what_was_changed() -> None:
    spans, now = watched("deploy-rollout", "Deployment/nginx")
    roots = [span for span in spans if not span.parent_id]
    gantt = Gantt(PLAIN, namespace="deploy-rollout", zone=UTC)
    lines = gantt.lines(roots, now, width=109)
    change = "  image nginx:1.13-alpine → nginx:1.12-alpine  (kubectl-set)"
    update = f"15:04:18.505 Deployment.update nginx {change}"
    assert lines[1] == update + "6.0s".rjust(108 - len(update))
    assert lines[3].split()[3:-1] == ["replicas", "3", "→", "5", "(kubectl)"]
    wrapped = gantt.lines(roots, now, width=60)
    text = " ".join(" ".join(wrapped).split())
    assert "image nginx:1.13-alpine → nginx:1.12-alpine (kubectl-set)" in text
    assert max(map(cell_len, wrapped)) <= 60


def test_events_are_ticks_and_a_loop_is_one_row() -> None:
    lines = drawn("pod-bad-image", "Pod/nginx")
    names = [line.split()[:2] for line in lines if line.startswith("  Pod.")]
    assert names[2] == ["Pod.PullingImage", "×3"]
    assert [name for name, _ in names] == [
        "Pod.Pending",
        "Pod.ContainerCreating",
        "Pod.PullingImage",
        "Pod.ErrImagePull",
    ]
    assert "│" in lines[0] and "✗" in lines[3]


def test_a_warning_that_is_a_tick_is_red_and_its_text_is_there() -> None:
    spans, now = watched("workloads", "Job/failing")
    palette = coloured()
    lines = Gantt(palette, namespace="workloads", zone=UTC).lines(spans, now, width=80)
    bar = lines[0].partition("█")[2]
    assert f"{palette.bad}✗{palette.reset}" in bar or f"✗{palette.reset}" in bar
    assert any("Job.BackoffLimitExceeded: Job has reached" in line for line in lines)


def test_a_pod_stands_below_its_owner_and_not_below_its_service_too() -> None:
    both = drawn("deploy-rollout", "Deployment/nginx", "Service/nginx")
    pods = [line.split()[1] for line in both if line.lstrip().startswith("Pod nginx-")]
    alone = drawn("deploy-rollout", "Deployment/nginx")
    assert pods == [
        line.split()[1] for line in alone if line.lstrip().startswith("Pod nginx-")
    ]
    assert any("EndpointSlice nginx-mrc82" in line for line in both)
    assert not any("Service.activity" in line for line in both)
    service = drawn("deploy-rollout", "Service/nginx")
    assert any(line.lstrip().startswith("Pod nginx-") for line in service)


@pytest.mark.parametrize(
    ("stream", "targets"),
    [
        ("deploy-rollout", ("Deployment/nginx", "Service/nginx")),
        ("pod-bad-image", ("Pod/nginx",)),
        ("pod-crashloop", ("Pod/crasher",)),
        ("workloads", ("StatefulSet/db", "Job/failing", "CronJob/tick")),
    ],
)
def test_spans_without_a_row_are_counted(stream: str, targets: tuple[str, ...]) -> None:
    spans, _ = watched(stream, *targets)
    *lines, note = drawn(stream, *targets)
    rows = [line for line in lines if re.search(r"  [0-9.]+(ms|s)\+?$", line)]
    folded = sum(map(int, re.findall(r"(\d+) (?:Event|other row)s?\b", note)))
    assert note.endswith(" folded: --full shows all")
    assert len(rows) + folded == len(spans)


def test_names_stay_whole_at_80_columns() -> None:
    for stream, target in (
        ("deploy-rollout", "Deployment/nginx"),
        ("workloads", "StatefulSet/db"),
        ("workloads", "DaemonSet/agent"),
    ):
        lines = drawn(stream, target)
        assert not any("…" in line for line in lines)
        assert max(map(len, lines)) <= 80


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 30))
@examples(100)
def test_every_span_is_counted_or_drawn(seed: int, count: int, size: int) -> None:
    """Every span is in a row or a tick, once, and each row is below its parent."""
    spans = made(seed, count, size)
    random.Random(seed).shuffle(spans)
    found: list[str] = []
    for rows in slim(traces(spans)):
        above = {""}
        for row in rows:
            assert row.span.parent_id in above
            above.add(row.span.span_id)
            found += [each.span_id for each in (*row.spans, *row.ticks)]
    assert sorted(found) == sorted(span.span_id for span in spans)


def test_a_row_of_several_spans_lasted_as_long_as_they_cover() -> None:
    def phase(number: int, start: float, end: float | None) -> Span:
        return Span(
            "t",
            f"s{number}",
            "r",
            SpanKind.PHASE,
            "Pod.Error",
            "",
            START + start,
            None if end is None else START + end,
        )

    root = Span("t", "r", "", SpanKind.CHANGE, "Pod.create", "", START, START + 10)
    phases = [phase(1, 1, 2), phase(2, 1.5, 3), phase(3, 8, 9)]
    ((_, row),) = slim(traces([root, *phases]))
    assert (row.span.start, row.span.end) == (START + 1, START + 9)
    assert row.lasted(START + 10) == pytest.approx(3)
    ((_, row),) = slim(traces([root, *phases, phase(4, 9.5, None)]))
    assert row.span.end is None and row.lasted(START + 10) == pytest.approx(3.5)


def test_a_pod_that_two_services_select_stands_below_one_of_them() -> None:
    def service(name: str) -> list[Span]:
        uid = (("k8s.object.name", name), ("k8s.object.uid", f"uid-{name}"))
        pod = (("k8s.pod.name", "web"), ("k8s.pod.uid", "uid-pod"))
        event = (*pod, ("k8s.event.uid", "uid-event"))
        root = Span(
            trace_id=f"t-{name}",
            span_id=f"root-{name}",
            parent_id="",
            kind=SpanKind.CHANGE,
            name="Service.create",
            service="kubectl",
            start=START,
            end=START + 9,
            attributes=uid,
        )
        below = root._replace(
            span_id=f"pod-{name}",
            parent_id=root.span_id,
            kind=SpanKind.OBJECT,
            name="Pod",
            attributes=pod,
            owned=False,
        )
        leaf = below._replace(parent_id=below.span_id, owned=True)
        return [
            root,
            below,
            leaf._replace(span_id="p", kind=SpanKind.PHASE, name="Pod.Pending"),
            leaf._replace(
                span_id=f"e-{name}",
                kind=SpanKind.EVENT,
                name="Pod.Unhealthy",
                attributes=event,
                error="it is slow",
            ),
        ]

    a, b = service("a"), service("b")
    for spans in ([*a, *b], [*b, *a]):
        first, second = sorted(slim(traces(spans)), key=len, reverse=True)
        assert [row.span.span_id for row in first] == ["root-a", "pod-a", "p", "e-a"]
        assert [row.span.span_id for row in second] == ["root-b"]
    quiet = b[0]._replace(name="Service.activity")
    (alone,) = slim(traces([*a, quiet, *b[1:]]))
    assert alone[0].span.span_id == "root-a"
