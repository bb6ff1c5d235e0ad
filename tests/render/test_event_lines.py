"""Events as lines: aligned, as exact as is known, and warnings in red."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len

from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.render.event_lines import EventLines
from kubectl_spy.render.palette import PLAIN, Palette, coloured
from tests.tracing import UTC


def said(about: str = "web", *, again: str = "", **more: Any) -> ClusterEvent:
    first = "2026-11-21T15:04:05.250000Z"
    obj = {
        "involvedObject": {"kind": "Pod", "name": about, "namespace": "shop"},
        "reason": "BackOff",
        "message": "it waits",
        "type": "Normal",
        "eventTime": first,
        "series": {"count": 4, "lastObservedTime": again} if again else {},
        **more,
    }
    return cluster_event(obj)


def lines(*events: ClusterEvent, palette: Palette = PLAIN) -> list[str]:
    shown = EventLines(palette, namespace="shop", zone=UTC)
    return shown.lines(events).splitlines()


def test_the_column_of_subjects_only_grows() -> None:
    shown = EventLines(PLAIN, namespace="shop", zone=UTC)
    first = shown.lines([said("web-1"), said("web-with-a-name")])
    later = shown.lines([said("web"), said("x" * 60), said("web")])
    lines = (first + later).splitlines()[1:]
    assert [line.index("BackOff") for line in lines] == [44, 44, 44, 89, 44]


def test_the_time_of_repetitions_is_as_exact_as_the_last_one() -> None:
    shown = lines(
        said(),
        said(again="2026-11-21T15:04:06Z"),
        said(again="2026-11-21T15:04:06.350000Z"),
        said(again="2026-11-21T15:05:07Z"),
        said(again="2026-11-21T17:05:05Z"),
    )
    assert [line.split("BackOff")[1] for line in shown[1:]] == [
        ": it waits",
        " x4 in 1s: it waits",
        " x4 in 1.1s: it waits",
        " x4 in 1m02s: it waits",
        " x4 in 2h01m: it waits",
    ]


def test_warnings_are_red_and_normal_events_are_not() -> None:
    red = coloured().bad
    _, warning, normal = lines(said(type="Warning"), said(), palette=coloured())
    assert f"{red}Warning" in warning and f"{red}BackOff" in warning
    assert red not in normal


def test_long_texts_are_cut_with_the_length_of_the_rest() -> None:
    long = "y" * 1_001
    event = said(reason=long, message=long, reportingComponent=long)
    event = event._replace(kind=long, name=long, namespace=long)
    assert lines(event)[1].count("… (1 more characters)") == 6


def test_names_of_wide_characters_shift_nothing() -> None:
    shown = lines(said("镜像控制器"), said("web"), said("e\u0301\u0301"))[1:]
    before = [cell_len(line.split("BackOff")[0]) for line in shown]
    assert len(set(before)) == 1
