"""--since and summary: the past of one type never holds up that of another."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_spy.cli.run.past import PastFirst
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.past.remembered import Remembered
from kubectl_spy.core.times import seconds
from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.builders import ALL_PODS, manifest
from tests.cli.command import Spy, wait_for_file
from tests.cli.test_everything import failed
from tests.cli.test_since import edited
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import wait_until

MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"


class MuteServer(ApiServer):
    """Opens watches of *mute*, a path, and sends nothing until it is to *speak*."""

    def __init__(self) -> None:
        super().__init__(speed=0)
        self.mute = ""
        self.speak = threading.Event()

    def respond(self, request: Request) -> Answer | Stream:
        answer = super().respond(request)
        if isinstance(answer, Answer) or request.route != self.mute:
            return answer
        return self._muted(answer)

    def _muted(self, stream: Stream) -> Stream:
        while not self.speak.wait(0.01):
            yield []
        yield from stream


@pytest.fixture
def server(spy: Spy) -> Iterator[MuteServer]:
    """A server with a Pod that failed, a ConfigMap and a Widget."""
    with MuteServer() as started:
        started.write_kubeconfig(spy.kubeconfig)
        started.put(manifest("Namespace", "default", None))
        started.put(failed("web", "default"))
        started.put(manifest("Widget", "gadget", "default", spec={}))
        for number in range(2):
            started.put(edited(number))
        yield started
        started.speak.set()


def test_a_past_that_opens_and_brings_nothing_is_left_out_and_named(
    spy: Spy, server: MuteServer
) -> None:
    server.mute = MAPS
    ended = spy.run("summary")
    assert ended.code == 0, ended.err
    assert "note: without the past of configmaps: the server is silent" in ended.err
    assert "pod/web" in ended.out
    assert "3 objects" in ended.out  # it was listed


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_too_busy_for_the_past_is_silent(
    spy: Spy, server: MuteServer, status: int
) -> None:
    server.refuse(MAPS, status, watches=True)
    ended = spy.run("summary")
    assert ended.code == 0, ended.err
    assert "note: without the past of configmaps: the server is silent" in ended.err
    assert "pod/web" in ended.out


def test_a_type_whose_list_is_answered_with_429_hides_no_other(
    spy: Spy, server: MuteServer
) -> None:
    """A dead conversion webhook does so, and the namespace is full of others."""
    server.refuse(WIDGETS, 429)
    ended = spy.run("summary")
    assert ended.code == 0, ended.err
    why = "refused: Too many requests, please try again later."
    assert f"note: without the past of widgets.example.com: {why}" in ended.err
    assert f"not seen: cannot list widgets.example.com: {why}" in ended.err
    assert "pod/web" in ended.out


def test_a_target_is_waited_for(spy: Spy, server: MuteServer) -> None:
    """Without it, the answer would be that it is not there."""
    server.refuse(WIDGETS, 429)
    with spy.running("summary", "widget/gadget") as running:
        wait_until(lambda: [each.route for each in server.requests].count(WIDGETS) > 2)
        server.admit()
        ended = running.ended()
    assert (ended.code, "is not there" in ended.err) == (0, False)


def test_what_goes_on_shows_the_others_at_once_and_adds_it(
    spy: Spy, server: MuteServer
) -> None:
    server.mute = MAPS
    with spy.running("changes", "pods,cm", "--since", "1h", "-o", "json") as running:
        running.wait_for_lines(2)
        server.put(edited(2))
        server.speak.set()
        running.wait_for_lines(3)
        server.put(edited(3))
        running.wait_for_lines(5)
        ended = running.end()
    assert ended.stderr.count(b"without the past of configmaps: the server") == 1
    assert [each["type"] for each in ended.records] == [
        *("ADDED", "ADDED"),
        *("GAP", "GAP", "MODIFIED"),  # the replay brought it, as of some time before
    ]
    assert ended.records[-1]["patch"][-1]["value"] == "3"


def test_a_recording_has_the_others_at_once_and_then_what_was_silent(
    spy: Spy, server: MuteServer, tmp_path: Path
) -> None:
    server.refuse(MAPS, 429)
    file = tmp_path / "all.spy"
    with spy.running("record", "--since", "1h", "-f", str(file)) as running:
        wait_for_file(file, b'"name":"gadget"')
        assert b'"number":"1"' not in file.read_bytes()
        server.admit()
        wait_for_file(file, b'"number":"1"')
        running.end()
    lines = list(map(json.loads, file.read_text().splitlines()))
    reasons = [each.get("reason") for each in lines if each["type"] == "HORIZON"]
    assert reasons.count("refused: Too many requests, please try again later.") == 1
    told = [each for each in lines[:-1] if each["type"] != "RECONNECT"]
    times = [seconds(each["time"]) for each in told]
    assert times == sorted(times)
    assert spy.run("ls", "--verify", str(file)).code == 0


def test_a_timeout_shows_what_has_come(spy: Spy, server: MuteServer) -> None:
    server.mute = MAPS
    why = "without the past of configmaps"
    words = ("changes", "pods,cm", "--since", "1h", "-o", "json")
    ended = spy.run_in_time(*words, done=lambda it: why in it.err)
    assert ended.code == 124
    assert {each["name"] for each in ended.records} == {"web"}
    assert [each["kind"] for each in ended.records] == ["Pod", "ConfigMap"]


def test_a_type_that_could_not_be_listed_at_first_is_listed_later() -> None:
    """What comes with its past then is a list: later things were told already."""
    remembered = Remembered(ALL_PODS, 0.0)
    pod = {"metadata": {"name": "web", "uid": "1", "resourceVersion": "7"}}
    remembered.see([WatchEvent(EventType.LISTED, ALL_PODS, 9.0, pod)])
    late = WatchEvent(EventType.HORIZON, ALL_PODS, 9.0, past=remembered.past(9.0))
    batches = [[WatchEvent(EventType.REFUSED, ALL_PODS, 5.0, reason="no")], [late]]
    first = PastFirst(
        batches,
        [ALL_PODS],
        say=lambda line: None,
        at_once=True,
        heard=lambda selections: 0.0,
        failures=dict,
        patience=2.0,
        once=False,
        needed=(),
    )
    found = [each.type.value for events in first for each in events]
    assert found == ["REFUSED", "LISTING", "LISTED", "SYNCED"]
