"""The load that the benchmarks are measured with is the one they claim."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.curves import Panel, svg
from benchmarks.objects import END_MARKER, NAMESPACE, POD_BYTES, churn, pod_name
from benchmarks.table import Row, markdown
from benchmarks.tools import Settings, load_server
from tests.processes import PATIENCE


def test_a_load_is_a_list_and_then_every_event_in_one_go(tmp_path: Path) -> None:
    settings = Settings(runs=1, events=6, directory=tmp_path)
    pods = f"/api/v1/namespaces/{NAMESPACE}/pods"
    with load_server(settings, pods=2, events=6) as server:
        connection = http.client.HTTPConnection(
            "127.0.0.1", server.port, timeout=PATIENCE
        )
        connection.request("GET", f"{pods}?limit=1")
        page = json.loads(connection.getresponse().read())
        assert [pod["metadata"]["name"] for pod in page["items"]] == [pod_name(0)]
        assert page["metadata"]["continue"] == "1"

        version = page["metadata"]["resourceVersion"]
        selector = f"fieldSelector=metadata.name%3D{pod_name(1)}"
        connection.request(
            "GET", f"{pods}?watch=true&resourceVersion={version}&{selector}"
        )
        response = connection.getresponse()
        events = [json.loads(response.readline()) for _ in range(3)]
        connection.close()

    names = {event["object"]["metadata"]["name"] for event in events}
    assert names == {pod_name(1)}
    assert [event["type"] for event in events] == ["MODIFIED"] * 3
    assert events[-1]["object"]["status"]["message"] == END_MARKER


def test_a_load_of_several_types_is_spread_over_them(tmp_path: Path) -> None:
    settings = Settings(runs=1, events=8, directory=tmp_path)
    with load_server(settings, pods=4, events=8, types=2) as server:
        connection = http.client.HTTPConnection(
            "127.0.0.1", server.port, timeout=PATIENCE
        )
        connection.request("GET", "/api/v1")
        found = json.loads(connection.getresponse().read())["resources"]
        assert [each["name"] for each in found] == ["pods", "crasher1s", "namespaces"]
        for plural, kind, first in (("pods", "Pod", 0), ("crasher1s", "Crasher1", 1)):
            connection.request("GET", f"/api/v1/{plural}")
            page = json.loads(connection.getresponse().read())
            assert page["kind"] == f"{kind}List"
            names = [pod["metadata"]["name"] for pod in page["items"]]
            assert names == [pod_name(first), pod_name(first + 2)]
            connection.request("GET", f"/api/v1/{plural}?watch=true&resourceVersion=1")
            response = connection.getresponse()
            events = [json.loads(response.readline())["object"] for _ in range(4)]
            response.close()
            connection.close()
            assert {each["kind"] for each in events} == {kind}
            assert events[-1]["status"]["message"] == END_MARKER


def test_the_events_have_the_size_the_table_says() -> None:
    lines = [line for _, line in churn(1, 300)]
    assert abs(sum(map(len, lines)) / len(lines) - POD_BYTES) < 100


def test_a_missed_promise_and_a_missing_tool_show_in_the_table() -> None:
    rows = [
        Row("slow", 3.0, "`peer`", 1.0, 2.0),
        Row("alone", 0.5, "`absent`", None, 2.0),
    ]
    assert [row.missed for row in rows] == [True, False]
    assert markdown(rows).splitlines()[2:] == [
        "| slow | 3.00 s | `peer` | 1.00 s | 3.00 ✗ | ≤ 2 |",
        "| alone | 500 ms | `absent` | not found | – | ≤ 2 |",
    ]


def test_curves_are_one_drawing_with_every_point() -> None:
    curve = {10: 1.0, 1_000: 2.0, 10_000: 8.5}
    panels = [Panel("ms", {"a<b": curve, "c": {10: 4.0}}), Panel("MB", {"c": curve})]
    drawing = ElementTree.fromstring(svg(panels, "Pods"))
    name = "{http://www.w3.org/2000/svg}"
    assert len(drawing.findall(f"{name}circle")) == 7
    texts = [each.text for each in drawing.findall(f"{name}text")]
    assert {"ms", "MB", "a<b", "c", "Pods", "10", "1,000", "10,000"} <= set(texts)
    for each in drawing.findall(f"{name}circle"):
        assert 40 <= float(each.attrib["cy"]) <= 200
