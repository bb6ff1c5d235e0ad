"""A recorder that is killed while objects change, on a real API server."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.otel.lines import json_line
from kubectl_spy.sinks.resuming import delivered
from tests.cli.command import Ended, Spy
from tests.e2e.cluster import IN_TIME, Cluster
from tests.e2e.controlplane import ControlPlane
from tests.e2e.objects import workload
from tests.extras.otel.receiver import Receiver, receiving
from tests.processes import wait_until

KILLS = 4
NAMES = [f"item-{number}" for number in range(12)]
History = dict[str, list[tuple[str, str]]]
"""Types and versions of changes, by name."""


class Writer:
    """Creates, changes and deletes ConfigMaps in *namespace*, from a thread."""

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster = cluster
        self._path = f"/api/v1/namespaces/{namespace}/configmaps"
        self._dice = random.Random(1)
        self._stopped = threading.Event()
        self.count = 0
        self.written: dict[str, float] = {}
        """When each was last written, or deleted."""
        self._first = self.last

    def write(self, name: str, *, deleted: bool = False) -> None:
        body = {"metadata": {"name": name}, "data": {"n": str(self._dice.random())}}
        ask, path = self._cluster.control_plane.request, f"{self._path}/{name}"
        if deleted:
            ask("DELETE", path)
        elif ask("PATCH", path, body)[0] == 404:
            assert ask("POST", self._path, body)[0] == 201
        self.count, self.written[name] = self.count + 1, time.time()

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._dice.expovariate(40)):
            self.write(self._dice.choice(NAMES), deleted=self._dice.random() < 0.1)

    def wait_for_more(self, count: int) -> None:
        end = self.count + count
        wait_until(lambda: self.count >= end)

    @property
    def last(self) -> str:
        """The version of the whole list."""
        ask = self._cluster.control_plane.request
        return str(ask("GET", self._path)[1]["metadata"]["resourceVersion"])

    def history(self) -> History:
        """Return what the API server says."""
        past = f"watch=true&resourceVersion={self._first}&timeoutSeconds=3"
        text = self._cluster.kubectl("get", "--raw", f"{self._path}?{past}")
        held: History = defaultdict(list)
        for event in map(json.loads, text.splitlines()):
            metadata = event["object"]["metadata"]
            if metadata["name"] in NAMES:
                row = event["type"], metadata["resourceVersion"]
                held[metadata["name"]].append(row)
        return held


def read_back(spy: Spy, file: Path) -> History:
    """Return the changes that a reader sees."""
    held: History = defaultdict(list)
    out = spy.run("changes", "--from", str(file), "-o", "json").out
    for record in map(json.loads, out.splitlines()):
        if record.get("name") in NAMES and "initial" not in record:
            row = record["type"], record["resourceVersion"]
            held[record["name"]].append(row)
    return held


def noted(state: Path, version: str) -> bool:
    """Return whether the file *state* of --resume has come to that version."""
    known = delivered(state) if state.exists() else None
    positions = known.positions.values() if known else ()
    return any(int(each.version) >= int(version) for each in positions)


def caught_up(receiver: Receiver, run: int) -> bool:
    """Return whether the last run, of that number, has brought what it had missed."""
    lines = [json.loads(log.body.string_value) for _, log in receiver.logs()]
    kinds = [line["type"] for line in sorted(lines, key=lambda line: line["seq"])]
    runs = [n for n, kind in enumerate(kinds) if kind in ("HEADER", "RESUME")]
    last = kinds[runs[-1] :] if runs else []
    return len(runs) == run and last.count("LISTED") == last.count("STREAM") > 0


def all_noted(receiver: Receiver, state: Path) -> bool:
    """Return whether all streams of the first run can go on."""
    known = delivered(state)
    lines = [json.loads(log.body.string_value) for _, log in receiver.logs()]
    streams = {line["stream"] for line in lines if line["type"] == "STREAM"}
    return known is not None and len(known.positions) == len(streams)


@pytest.fixture
def written(cluster: Cluster, control_plane: ControlPlane, namespace: str) -> Writer:
    return Writer(cluster, namespace)


def test_a_killed_recorder_has_each_version_of_the_servers_history_once(
    cluster: Cluster, written: Writer, namespace: str, tmp_path: Path
) -> None:
    spy, state, file = cluster.spy(), tmp_path / "resume", tmp_path / "otlp.jsonl"
    dice = random.Random(2)
    with receiving() as receiver:
        words = ("record", "cm", "-n", namespace, "--otlp", receiver.url)
        flags = (*words, "--resume", str(state))
        with spy.running(*flags) as running:
            wait_until(lambda: noted(state, "0"))
            running.end(signal.SIGKILL)
        with written.running():
            for _ in range(KILLS):
                with spy.running(*flags) as running:
                    held = len(receiver.logs())
                    more = held + dice.randrange(20, 150)
                    wait_until(lambda: len(receiver.logs()) > more)  # noqa: B023
                    running.end(signal.SIGKILL)
                written.wait_for_more(dice.randrange(5, 50))
        with spy.running(*flags) as running:
            last = written.last
            wait_until(lambda: noted(state, last))
            wait_until(lambda: caught_up(receiver, KILLS + 2))
            running.end(signal.SIGKILL)
        stopped = time.time()
        written.write(NAMES[0])
        gap = time.time()
        with spy.running(*flags) as running:
            wait_until(lambda: caught_up(receiver, KILLS + 3))
            ended = running.end()
        assert ended.code == 0, ended.err
    file.write_bytes(b"".join(json_line(each.body) for each in receiver.requests))
    truth, found = written.history(), read_back(spy, file)
    assert sum(map(len, truth.values())) > 100
    assert found == truth
    verified = spy.run("ls", "--verify", str(file))
    assert verified.code == 0, verified.err
    contents = json.loads(spy.run("ls", str(file), "-o", "json").out)
    assert (contents["gaps"], contents["late"] > 10) == ([], True)

    def at(name: str) -> Ended:
        return spy.run("show", str(file), f"cm/{name}", "--at", rfc3339(gap))

    assert "may have changed before that point" in at(NAMES[0]).err
    quiet = [
        name
        for name, moment in written.written.items()
        if moment < stopped and truth[name][-1][0] != "DELETED"
    ]
    assert quiet
    for name in quiet:
        assert at(name).err == "", name


def test_a_version_in_the_future_of_the_server_is_a_gap(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    spy, state = cluster.spy(), tmp_path / "resume"
    with receiving() as receiver:
        words = ("record", "cm", "-n", namespace, "--otlp", receiver.url)
        flags = (*words, "--resume", str(state))
        with spy.running(*flags) as running:
            wait_until(lambda: noted(state, "0"))
            running.end(signal.SIGKILL)
        begun, _, last = state.read_bytes().splitlines(keepends=True)
        known = delivered(state)
        assert known is not None
        ((stream, at),) = known.positions.items()
        other = known._replace(positions={stream: at._replace(version="999999999")})
        state.write_bytes(begun + other.line() + last)
        with spy.running(*flags) as running:
            running.wait_for_talk("an unknown number of versions was missed (GAP)")
            wait_until(lambda: caught_up(receiver, 2))
            running.end()
    lines = [json.loads(log.body.string_value) for _, log in receiver.logs()]
    gaps = [each["since"] for each in lines if each["type"] == "GAP"]
    assert gaps == [rfc3339(at.time)]


def test_what_belongs_to_a_deployment_goes_on_after_a_kill(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    spy, state, file = cluster.spy(), tmp_path / "resume", tmp_path / "otlp.jsonl"
    cluster.apply(workload("Deployment", "web", namespace, replicas=2))
    rollout = ("rollout", "status", "deploy/web", "-n", namespace, IN_TIME)
    cluster.kubectl(*rollout)
    with receiving() as receiver:
        words = ("record", "deploy/web", "-n", namespace, "--owned")
        flags = (*words, "--otlp", receiver.url, "--resume", str(state))
        for run, image in enumerate(("one", "two", "three"), 1):
            with spy.running(*flags) as running:
                wait_until(lambda: caught_up(receiver, run))  # noqa: B023
                wait_until(lambda: all_noted(receiver, state))
                running.end(signal.SIGKILL)
            cluster.kubectl(
                *("set", "image", "deploy/web", f"main={image}", "-n", namespace)
            )
            cluster.kubectl(*rollout)
        with spy.running(*flags) as running:
            wait_until(lambda: caught_up(receiver, 4))
            assert running.end().code == 0
    file.write_bytes(b"".join(json_line(each.body) for each in receiver.requests))
    verified = spy.run("ls", "--verify", str(file))
    assert verified.code == 0, verified.err
    assert json.loads(spy.run("ls", str(file), "-o", "json").out)["gaps"] == []
    last: dict[str, str] = {}
    out = spy.run("changes", "--from", str(file), "-o", "json").out
    for record in map(json.loads, out.splitlines()):
        if record["type"] == "MODIFIED":
            assert record["previous"] == last[record["uid"]], record
        last[record["uid"]] = record["resourceVersion"]
