"""What happens to a watch when the control plane does what control planes do."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import yaml

from kubectl_spy.extras.otel.lines import json_line
from tests.e2e.cluster import Cluster, Watching, watching
from tests.e2e.controlplane import ControlPlane, free_ports
from tests.e2e.objects import config_map
from tests.e2e.test_resume import caught_up, noted
from tests.extras.otel.receiver import receiving
from tests.processes import PATIENCE, wait_until


class Wire:
    """A TCP relay in front of the API server that can be cut and mended."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open: list[socket.socket] = []
        self._mended = threading.Event()
        self._mended.set()
        (self.port,) = free_ports(1)
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break what is connected, and refuse what comes."""
        self._mended.clear()
        for one in self._open:
            with closing(one), suppress(OSError):  # the other end may have gone
                one.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def mend(self) -> None:
        """Let connections through again."""
        self._mended.set()

    def close(self) -> None:
        """End for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._mended.is_set():
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            self._open += [client, server]
            for source, sink in ((client, server), (server, client)):
                relay = threading.Thread(target=self._relay, args=(source, sink))
                relay.daemon = True
                relay.start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while chunk := source.recv(1 << 16):
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return


@pytest.fixture(scope="module")
def fragile(
    tmp_path_factory: pytest.TempPathFactory, control_plane: ControlPlane
) -> Iterator[ControlPlane]:
    """A control plane of this module's own: it is stopped and started."""
    root = tmp_path_factory.mktemp("fragile")
    with ControlPlane(root) as running:  # and without early bookmarks
        yield running


@pytest.fixture
def wire(fragile: ControlPlane) -> Iterator[Wire]:
    wire = Wire(fragile.port)
    yield wire
    wire.close()


@pytest.fixture
def through(fragile: ControlPlane, wire: Wire, tmp_path: Path) -> Cluster:
    """The fragile cluster as seen through the wire."""
    config = yaml.safe_load(fragile.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{wire.port}"
    path = tmp_path / "through-the-wire"
    path.write_text(json.dumps(config))
    return Cluster(path, tmp_path, fragile)


@pytest.fixture
def direct(fragile: ControlPlane, tmp_path: Path) -> Cluster:
    """The fragile cluster itself."""
    return Cluster(fragile.kubeconfig, tmp_path, fragile)


def compact(control_plane: ControlPlane) -> None:
    """Make etcd forget everything but the present, as it does every five minutes."""
    endpoint = next(
        flag.removeprefix("--listen-client-urls=http://")
        for flag in control_plane.command("etcd")
        if flag.startswith("--listen-client-urls=")
    )

    def ask(path: str, body: object) -> dict[str, dict[str, str]]:
        with closing(
            http.client.HTTPConnection(endpoint, timeout=PATIENCE)
        ) as connection:
            connection.request("POST", path, json.dumps(body))
            answer: dict[str, dict[str, str]] = json.load(connection.getresponse())
        return answer

    revision = ask("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
    ask("/v3/kv/compaction", {"revision": revision, "physical": True})


def wait_for_value(watch: Watching, value: str) -> None:
    watch.wait_for(lambda seen: any(f"'{value}'" in str(r) for r in seen))


def test_versions_written_while_the_wire_is_cut_are_seen_after_it(
    direct: Cluster, through: Cluster, wire: Wire
) -> None:
    direct.apply(config_map("cut", "default", a="0"))
    with watching(through.spy(), "changes", "cm/cut") as watch:
        wait_for_value(watch, "0")
        wire.cut()
        for value in "123":
            direct.apply(config_map("cut", "default", a=value))
        wire.mend()
        wait_for_value(watch, "3")
        records = watch.records
    assert [r["type"] for r in records] == ["ADDED", *["MODIFIED"] * 3]
    assert [r["previous"] for r in records[1:]] == [
        r["resourceVersion"] for r in records[:-1]
    ]


def test_an_api_server_that_is_stopped_and_started_is_watched_again(
    fragile: ControlPlane, direct: Cluster
) -> None:
    direct.apply(config_map("restart", "default", a="0"))
    with watching(direct.spy(), "changes", "cm/restart") as watch:
        wait_for_value(watch, "0")
        fragile.stop("kube-apiserver", signal.SIGKILL)
        watch.running.wait_for_talk("trying again")
        fragile.start("kube-apiserver")
        fragile.wait_ready()
        direct.apply(config_map("restart", "default", a="1"))
        wait_for_value(watch, "1")
        direct.apply(config_map("restart", "default", a="2"))
        wait_for_value(watch, "2")
        records = [r for r in watch.records if "name" in r]
    assert records[-1]["type"] == "MODIFIED"
    assert not [r for r in records if r["type"] in ("ADDED", "DELETED")][1:]


def test_compacted_history_is_admitted_as_a_gap(
    fragile: ControlPlane, direct: Cluster, through: Cluster, wire: Wire
) -> None:
    direct.apply(config_map("old", "default", a="0"))
    with watching(through.spy(), "changes", "cm/old") as watch:
        wait_for_value(watch, "0")
        wire.cut()
        for value in "123":
            direct.apply(config_map("old", "default", a=value))
        compact(fragile)
        # Its watch cache would still know; a new one does not.
        fragile.stop("kube-apiserver", signal.SIGKILL)
        fragile.start("kube-apiserver")
        fragile.wait_ready()
        wire.mend()
        wait_for_value(watch, "3")
        watch.running.wait_for_talk("an unknown number of versions was missed")
        direct.apply(config_map("old", "default", a="4"))
        wait_for_value(watch, "4")
        records = watch.records
    assert [r["type"] for r in records] == ["ADDED", "GAP", "GAP", "MODIFIED"]
    assert "since" in records[1] and "until" in records[1]
    replaced = [s for s in records[2]["patch"] if s["path"] == "/data/a"]
    assert replaced == [{"op": "replace", "path": "/data/a", "value": "3"}]


def test_a_quiet_watch_says_nothing_with_or_without_early_bookmarks(
    cluster: Cluster, direct: Cluster, namespace: str
) -> None:
    """One etcd reports progress every 5 s, which makes bookmarks; one does not."""
    cluster.apply(config_map("quiet", namespace, a="0"))
    direct.apply(config_map("quiet", "default", a="0"))
    with (
        watching(cluster.spy(), "changes", "cm/quiet", "-n", namespace) as early,
        watching(direct.spy(), "changes", "cm/quiet") as late,
    ):
        for watch in (early, late):
            wait_for_value(watch, "0")
        time.sleep(12)
        cluster.apply(config_map("quiet", namespace, a="1"))
        direct.apply(config_map("quiet", "default", a="1"))
        for watch in (early, late):
            wait_for_value(watch, "1")
            (talk,) = watch.running.stderr.decode().splitlines()
            assert talk.startswith("watching ")


def test_a_recorder_goes_on_where_history_is_compacted_with_a_gap(
    fragile: ControlPlane, direct: Cluster, tmp_path: Path
) -> None:
    spy, state = direct.spy(), tmp_path / "resume"
    direct.apply(config_map("resumed", "default", a="0"))
    with receiving() as receiver:
        words = ("record", "cm/resumed", "--otlp", receiver.url)
        flags = (*words, "--resume", str(state))
        with spy.running(*flags) as running:
            wait_until(lambda: noted(state, "0"))
            running.end(signal.SIGKILL)
        direct.apply(config_map("resumed", "default", a="1"))
        fragile.stop("kube-apiserver", signal.SIGKILL)
        compact(fragile)
        fragile.start("kube-apiserver")
        fragile.wait_ready()
        with spy.running(*flags) as running:
            running.wait_for_talk("an unknown number of versions was missed (GAP)")
            wait_until(lambda: caught_up(receiver, 2))
            running.end()
    file = tmp_path / "otlp.jsonl"
    file.write_bytes(b"".join(json_line(each.body) for each in receiver.requests))
    shown = spy.run("show", str(file), "cm/resumed", "-o", "json")
    assert json.loads(shown.out)["data"] == {"a": "1"}
    assert len(json.loads(spy.run("ls", str(file), "-o", "json").out)["gaps"]) == 1
