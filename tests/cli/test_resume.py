"""A recorder that starts again goes on from the versions that were delivered."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kubectl_spy.extras.otel.lines import json_line
from kubectl_spy.sinks.resuming import delivered
from tests.answering import Answer
from tests.builders import manifest, reference
from tests.cli.changing import config_map
from tests.cli.command import Ended, Running, Spy
from tests.extras.otel.receiver import Receiver, receiving
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import wait_until

LISTS = "/api/v1/namespaces/default/configmaps?limit=500&"
PAST = f"{LISTS}resourceVersion"


class Fleet:
    """A recorder that sends to *receiver*, and is started and killed."""

    def __init__(self, spy: Spy, server: ApiServer, receiver: Receiver) -> None:
        self._spy = spy
        self.server = server
        self.receiver = receiver
        self.state = spy.home / "state"
        self._runs = 0

    @contextmanager
    def recording(
        self, *words: str, end: int = signal.SIGKILL, listed: int = 1
    ) -> Iterator[Running]:
        """Record *words*, once all is listed. In the end all versions are noted."""
        self._runs += 1
        flags = ("--otlp", self.receiver.url, "--resume", str(self.state))
        with self._spy.running("record", *(words or ("cm",)), *flags) as running:
            wait_until(lambda: self.run().count("LISTED") == listed, self.run)
            yield running
            if end == signal.SIGKILL:
                wait_until(lambda: self.has_noted(listed))
            if end:
                running.end(end)
        self.server.drop_watches()

    def has_noted(self, streams: int) -> bool:
        """Return whether so many streams are noted with all that was written."""
        known = delivered(self.state)
        versions = [each.version for each in known.positions.values()] if known else []
        return versions == [self.server.resource_version] * streams

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines that came in."""
        held = [json.loads(log.body.string_value) for _, log in self.receiver.logs()]
        return sorted(held, key=lambda line: int(line["seq"]))

    def run(self) -> list[str]:
        """Return the types of lines of the last run, "" if it has not begun."""
        kinds = [each["type"] for each in self.lines if each["type"] != "RECONNECT"]
        begun = [n for n, each in enumerate(kinds) if each in ("HEADER", "RESUME")]
        return kinds[begun[-1] + 1 :] if len(begun) == self._runs else [""]

    def line(self, kind: str) -> dict[str, Any]:
        """Return the last line of that type."""
        return next(line for line in reversed(self.lines) if line["type"] == kind)

    def read(self, *words: str) -> Ended:
        """Run a command on what came in."""
        file = self._spy.home / "otlp.jsonl"
        file.write_bytes(b"".join(json_line(r.body) for r in self.receiver.requests))
        return self._spy.run(*(each.format(file) for each in words))

    def changes(self) -> list[str]:
        """Return the changes that a reader sees: a type, a name and a number."""
        verified = self.read("ls", "--verify", "{}")
        assert (verified.code, verified.err) == (0, "")
        out = self.read("changes", "--from", "{}", "-o", "json").out
        told = []
        for record in map(json.loads, out.splitlines()):
            if "initial" not in record:
                value = record.get("object", {}).get("data", {}).get("number", "")
                steps = record.get("patch", ())
                value = next((each["value"] for each in steps), value)
                told.append(f"{record['type']} {record.get('name')} {value}".strip())
        return told


@pytest.fixture
def fleet(spy: Spy, serve: Callable[..., ApiServer]) -> Iterator[Fleet]:
    server = serve(bookmark_interval=0.2)
    server.put(config_map(0))
    with receiving() as receiver:
        yield Fleet(spy, server, receiver)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_what_changed_while_nobody_recorded_is_recorded(fleet: Fleet, end: int) -> None:
    with fleet.recording(end=end):
        fleet.server.put(config_map(1))
        wait_until(lambda: "MODIFIED" in fleet.run())
    fleet.server.put(config_map(2))
    fleet.server.put(config_map(3))
    fleet.server.put(config_map(0, "other"))
    fleet.server.delete(config_map(3))
    with fleet.recording():
        late = ["MODIFIED", "MODIFIED", "ADDED", "DELETED"]
        assert fleet.run() == ["STREAM", "ADDED", *late, "LISTED"]
        fleet.server.put(config_map(1, "other"))
        wait_until(lambda: fleet.run()[-1] == "MODIFIED")
    assert "listed" in fleet.line("DELETED") and "listed" not in fleet.line("MODIFIED")
    expected = ["1", "2", "3"]
    assert fleet.changes() == [
        *(f"MODIFIED web {number}" for number in expected),
        "ADDED other 0",
        "DELETED web",
        "MODIFIED other 1",
    ]
    contents = json.loads(fleet.read("ls", "{}", "-o", "json").out)
    assert (contents["gaps"], contents["late"]) == ([], 4)
    assert fleet.state.stat().st_mode & 0o777 == 0o600


def restored(server: ApiServer) -> None:
    server.restore("1")


@pytest.mark.parametrize(
    "breaks",
    [
        ApiServer.compact,
        restored,
        lambda server: server.refuse(PAST, 403),
    ],
    ids=["compacted", "restored", "refused"],
)
def test_a_version_that_is_not_kept_is_a_gap(
    fleet: Fleet, breaks: Callable[[ApiServer], None]
) -> None:
    with fleet.recording():
        fleet.server.put(config_map(1))
        wait_until(lambda: "MODIFIED" in fleet.run())
    since = fleet.line("MODIFIED")["time"]
    fleet.server.put(config_map(2))
    breaks(fleet.server)
    with fleet.recording(end=signal.SIGINT) as running:
        assert fleet.run()[:2] == ["STREAM", "GAP"]
        running.wait_for_talk("an unknown number of versions was missed (GAP)")
    gap = fleet.line("GAP")
    assert since <= gap["since"] < gap["until"] == gap["time"]


def test_a_refusal_that_passes_is_waited_for(fleet: Fleet) -> None:
    with fleet.recording():
        pass
    fleet.server.put(config_map(1))
    fleet.server.refuse(PAST, 503, times=2)
    with fleet.recording():
        assert fleet.run() == [*["STREAM", "ADDED", "MODIFIED"], "LISTED"]
    assert fleet.changes() == ["MODIFIED web 1"]


def test_a_type_that_is_new_is_a_gap_and_others_go_on(fleet: Fleet) -> None:
    with fleet.recording():
        pass
    fleet.server.put(config_map(1))
    with fleet.recording("cm,sa", end=signal.SIGINT, listed=2):
        assert fleet.run().count("GAP") == 1
        assert fleet.line("GAP")["kind"] == "ServiceAccount"
        assert "MODIFIED" in fleet.run()


def test_another_selector_is_a_gap(fleet: Fleet) -> None:
    with fleet.recording():
        pass
    with fleet.recording("cm", "-A", end=signal.SIGINT):
        assert fleet.run()[:2] == ["STREAM", "GAP"]


def test_a_past_list_comes_in_pages(fleet: Fleet) -> None:
    for number in range(700):
        fleet.server.put(config_map(0, f"web-{number:03}"))
    with fleet.recording():
        pass
    fleet.server.put(config_map(1, "web-699"))
    fleet.server.put(config_map(1, "web-700"))
    with fleet.recording():
        assert fleet.run().count("ADDED") == 702
        assert "GAP" not in fleet.run()
    assert fleet.changes()[-2:] == ["MODIFIED web-699 1", "ADDED web-700 1"]


def test_pages_that_expire_are_a_gap(fleet: Fleet) -> None:
    for number in range(700):
        fleet.server.put(config_map(0, f"web-{number:03}"))
    with fleet.recording():
        pass
    fleet.server.put(config_map(1, "web-699"))
    fleet.server.delete(config_map(0, "web-000"))
    fleet.server.refuse(f"{LISTS}continue", 410, times=1)
    with fleet.recording():
        assert fleet.run().count("GAP") == 1
    names = fleet.read("ls", "{}", "-o", "json").out
    rows = {each["name"]: each["gone"] for each in json.loads(names)["objects"]}
    assert rows["web-000"] and not rows["web-699"]
    shown = fleet.read("show", "{}", "cm/web-699", "-o", "json").out
    assert json.loads(shown)["data"]["number"] == "1"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_what_was_never_delivered_is_sent_again(fleet: Fleet, end: int) -> None:
    with fleet.recording(end=0) as running:
        wait_until(lambda: fleet.has_noted(1))
        taken = len(fleet.receiver.requests)
        fleet.receiver.answers = [Answer(503)]
        fleet.server.put(config_map(1))
        running.wait_for_talk("cannot deliver lines")
        fleet.server.put(config_map(2))
        running.end(end)
    del fleet.receiver.requests[taken:]
    fleet.receiver.answers = [Answer()]
    fleet.server.put(config_map(3))
    with fleet.recording():
        pass
    assert fleet.changes() == [f"MODIFIED web {number}" for number in (1, 2, 3)]


def test_what_belongs_to_a_target_goes_on_too(fleet: Fleet) -> None:
    owner = fleet.server.put(manifest("Deployment", "web", "default"))
    owners = {"ownerReferences": [reference(owner)]}
    owned = manifest("ReplicaSet", "web-1", "default", metadata=owners)
    fleet.server.put({**owned, "spec": {"replicas": 1}})
    words = ("deploy/web", "-n", "default", "--owned")
    count = _streams(fleet, words)
    fleet.server.put({**owned, "spec": {"replicas": 2}})
    fleet.server.put(manifest("ReplicaSet", "web-2", "default", metadata=owners))
    fleet.server.delete(owned)
    with fleet.recording(*words, end=signal.SIGINT, listed=count):
        late = fleet.run()
        assert late.count("STREAM") == count and "GAP" not in late
        assert sorted(set(late) - {"STREAM", "LISTED"}) == [
            "ADDED",
            "DELETED",
            "MODIFIED",
        ]
    assert fleet.changes() == ["MODIFIED web-1 2", "ADDED web-2", "DELETED web-1"]


def _streams(fleet: Fleet, words: tuple[str, ...]) -> int:
    """Record *words* until all are noted, and return how many streams that are."""
    with fleet.recording(*words, end=0, listed=0) as running:
        wait_until(lambda: "STREAM" in fleet.run())
        count = fleet.run().count("STREAM")
        wait_until(lambda: fleet.run().count("LISTED") == count)
        wait_until(lambda: fleet.has_noted(count))
        running.end(signal.SIGKILL)
    return count
