"""Commands agree on what fails, at each look and at the end of recorded incidents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from math import inf
from pathlib import Path

import pytest

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.changes.filtering import parse_filter
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import Aside, ChangeRecord
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import FINE, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.headlines.headlines import Headlines
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.trace.reason import deepest_cause
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.extras.review.folds import declared_first
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.findings import code_of
from kubectl_spy.sources.recording.index import Index

INCIDENTS = Path(__file__).parents[1] / "summary" / "incidents"
FILES = sorted(INCIDENTS.glob("*.spy.gz"))
OF_OTHERS = frozenset(
    {"Service", "Ingress", "HorizontalPodAutoscaler", "PodDisruptionBudget"}
)
"""Kinds below which a trace shows what they select: that fails by itself."""


@pytest.mark.parametrize("part", range(4))
def test_all_name_the_same_failures_and_causes(part: int) -> None:
    for file in FILES[part::4]:
        with closing(Index(str(file))) as index:
            index.grow(inf)
            summary, trace, log = played(index)
        failures = {each.top.uid: each for each in summary.failures()}
        lasting = {uid: it for uid, it in failures.items() if it.until is None}
        for uid in summary.tops():
            log.begin_at([uid])
            # What is over is as its own object said. A Service, say, has no phases.
            roots = [it for it in log.spans(log.time) if not it.parent_id]
            going_on = [each for each in roots[-1:] if each.end is None]
            failure = lasting.get(uid)
            for span in going_on:
                if span.error or (failure and not waits(failure)):
                    assert failure is not None, (file.name, span)
                    assert span.error == failure.finding.fact, (file.name, span)
        trace.begin_at(summary.tops())
        for root in trace.picture().roots:
            known = lasting.get(root.uid)
            if root.gvk.kind in OF_OTHERS:
                own = (each for each in root.findings if each.about != "pods")
                fails = any(each.verdict is Verdict.FAILING for each in own)
                assert fails <= (known is not None), (file.name, root.name)
                continue
            failing = [found for _, found in root.failing()]
            assert bool(failing) <= (known is not None), (file.name, root.name)
            if known is None or waits(known):
                continue
            assert failing, (file.name, root.name, known.finding)
            cause = deepest_cause(root)
            told = cause.finding if cause else failing[0]
            assert told is not None and told.fact == known.finding.fact, file.name


@pytest.mark.parametrize("part", range(4))
def test_all_say_that_the_same_fails_at_each_look(part: int) -> None:
    for file in FILES[part::4]:
        with closing(Index(str(file))) as index:
            index.grow(inf)
            for line, (summary, trace, log) in enumerate(playing(index)):
                if line % 40:
                    continue
                failures = {each.top.uid: each for each in summary.failures()}
                fail = {uid: not it.until for uid, it in failures.items()}
                tops = summary.tops()
                trace.begin_at(tops)
                for root in trace.picture().roots:
                    known = failures.get(root.uid)
                    if root.gvk.kind in OF_OTHERS or (known and waits(known)):
                        continue
                    told = any(root.failing())
                    assert told == fail.get(root.uid, False), (file.name, line)
                    log.begin_at([root.uid])
                    roots = [it for it in log.spans(log.time) if not it.parent_id]
                    if roots and roots[-1].end is None:
                        assert bool(roots[-1].error) == told, (file.name, line)


def test_no_change_is_failing_whose_object_is_well_at_the_end() -> None:
    failing = parse_filter("is:failing")
    for file in FILES:
        with closing(Index(str(file))) as index:
            index.grow(inf)
            playback = Playback(keys=index.recording.keys)
            model = Model(Scope(others=declared_first(index)))
            headlines, marked = Headlines(), dict[str, bool]()
            for line in range(len(index)):
                for item in playback.observe(index.line(line)):
                    if not isinstance(item, Aside):
                        model.observe(item)
                    if isinstance(item, ChangeRecord) and item.gvk.kind != "Event":
                        kept = failing.keeps(item, fails=headlines.of(item).fails)
                        marked[item.identity] = kept
            for uid in (each for each, is_marked in marked.items() if is_marked):
                entry = model.entry(uid)
                assert entry is None or diagnose(entry, model).verdict not in FINE


def waits(failure: Failure) -> bool:
    """Return whether its code says after how long what waits counts as a failure."""
    return code_of(failure.finding.code).grace is not None


def played(index: Index) -> tuple[Summary, Trace, SpanLog]:
    *_, last = playing(index)
    return last


def playing(index: Index) -> Iterator[tuple[Summary, Trace, SpanLog]]:
    """Yield what was made of a recording so far, after each of its lines."""
    playback = Playback(keys=index.recording.keys)
    summary = Summary(Scope(others=declared_first(index)), lambda record: True)
    trace = Trace(Scope(others=declared_first(index)))
    log = SpanLog(Scope(others=declared_first(index)))
    for line in range(len(index)):
        for item in playback.observe(index.line(line)):
            if not isinstance(item, Aside):
                summary.observe(item, None)
                trace.observe(item)
                log.observe(item)
        yield summary, trace, log


@pytest.mark.parametrize(
    ("incident", "verdict", "advised"),
    [
        ("well-asleep", Verdict.WARNING, False),
        ("well-downscaled", Verdict.WARNING, False),
        ("well-keda", Verdict.WARNING, False),
        ("service-scaled-away", Verdict.FAILING, True),
    ],
)
def test_a_service_that_sleeps_on_purpose_does_not_fail(
    incident: str, verdict: Verdict, advised: bool
) -> None:
    with closing(Index(str(INCIDENTS / f"{incident}.spy.gz"))) as index:
        index.grow(inf)
        others = declared_first(index)
        trace = Trace(Scope((), others, lambda it: it.gvk.kind == "Service"))
        picture = trace.picture()
        playback = Playback(keys=index.recording.keys)
        for line in range(len(index)):
            for item in playback.observe(index.line(line)):
                if not isinstance(item, Aside):
                    trace.observe(item)
                    picture = trace.picture()
    asleep = [each for each in picture.roots if each.phase == "NoPods"]
    assert asleep
    for each in asleep:
        assert (each.verdict, bool(each.findings[0].remedy)) == (verdict, advised)
