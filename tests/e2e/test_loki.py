"""A rollout, sent to a real Loki and read back from it.

It is the executable that KUBECTL_SPY_LOKI names, or what scripts/loki has built. Its
build takes long, so the tests skip without it, also where others are required to run.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs

from kubectl_spy.extras.otel.loki import Query, fetch
from kubectl_spy.extras.otel.loki_client import LokiClient
from kubectl_spy.sources.recording.segments import lines_of
from tests.builders import pod
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Spy
from tests.e2e.built import find_built, loki_config
from tests.e2e.controlplane import free_ports
from tests.extras.otel.loki_server import now
from tests.extras.otel.otlp_logs import log_records
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import start, wait_until
from tests.recordings import first_list, record


class Loki:
    """A Loki that keeps its lines below *path*, also when it starts again."""

    def __init__(self, path: Path) -> None:
        program = find_built("loki", "github.com/grafana/loki/v3", "loki")
        if program is None:
            pytest.skip("not found: Loki; run scripts/loki")
        self._program = program
        http, grpc = free_ports(2)
        self.url = f"http://127.0.0.1:{http}"
        self.otlp = f"{self.url}/otlp/v1/logs"
        self._config = path / "loki.yaml"
        self._config.write_text(loki_config(http, grpc, path / "loki"))

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        loki = start(
            [self._program, f"-config.file={self._config}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(self._is_ready)
            yield loki
        finally:
            loki.kill()  # its write-ahead log has what it accepted
            loki.wait()

    def _is_ready(self) -> bool:
        try:
            with urlopen(f"{self.url}/ready", timeout=PATIENCE) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    return Spy(tmp_path)


@pytest.fixture
def loki(tmp_path: Path) -> Loki:
    return Loki(tmp_path)


def post(url: str, body: bytes, headers: dict[str, str]) -> None:
    with urlopen(Request(url, body, headers)) as answer:
        assert answer.status == 204


def test_commands_say_the_same_of_loki(spy: Spy, loki: Loki) -> None:
    file, source = spy.home / "web.spy", f"loki+{loki.url}"
    with ApiServer(("deploy-rollout",), speed=8) as server, loki.running():
        server.write_kubeconfig(spy.kubeconfig, namespace="deploy-rollout")
        words = ("deploy/nginx", "--owned", "-f", str(file), "--otlp", loki.otlp)
        with spy.running("record", *words) as running:
            running.wait_for_talk("watching")
            wait_until(lambda: file.read_bytes().count(b'"MODIFIED"') > 50)
            assert running.end().code == 0
        at = json.loads(file.read_bytes().splitlines()[60])["time"]
        for command in (
            "ls {} --verify",
            "show {} deploy/nginx",
            "show {} deploy/nginx --at {at}",
            "diff {} deploy/nginx -n deploy-rollout first last",
            "blame {} deploy/nginx -n deploy-rollout",
            "trace --from {}",
            "trace --from {} deploy/nginx -n deploy-rollout --at {at}",
            "changes --from {} pods -n deploy-rollout -o json",
            "events --from {}",
            "spans --from {}",
            "changes {}",
            "ls {} -o json",
        ):
            one, other = (
                spy.run(*command.format(name, at=at).split()) for name in (file, source)
            )
            assert one.code == other.code == 0, other.err
            said = [one.out.replace(str(file), "F"), other.out.replace(source, "F")]
            assert said[0] == said[1], command


def test_one_object_is_proven_without_the_lines_of_others(spy: Spy, loki: Loki) -> None:
    pods = [pod(f"web-{n}", rv=str(n + 1)) for n in range(500)]
    lines = record(spy.home / "a.spy", first_list(*pods, time=now() - 5))
    body = encode_logs(log_records(lines)).SerializeToString()
    kind = {"Content-Type": "application/x-protobuf"}
    read: list[int] = []
    with loki.running():
        post(loki.otlp, body, kind)
        client = LokiClient(f"loki+{loki.url}", {})
        query = Query(now() - 4, now(), object="web-3")
        name, _ = fetch(client, query, now(), read.append)
        assert len(list(lines_of(name))) < 10
        assert read[-1] < 100_000


def test_more_lines_of_one_moment_than_a_page_come_back(spy: Spy, loki: Loki) -> None:
    pods = [pod(f"web-{n}", rv=str(n + 1)) for n in range(7000)]
    lines = record(spy.home / "a.spy", first_list(*pods, time=now() - 5))
    with loki.running():
        records = log_records(lines)
        for begin in range(0, len(records), 1000):
            body = encode_logs(records[begin : begin + 1000]).SerializeToString()
            kind = {"Content-Type": "application/x-protobuf"}
            post(loki.otlp, body, kind)
        ended = spy.run("ls", "--verify", f"loki+{loki.url}")
    assert ended.code == 0, ended.err
    assert (
        "7,004 lines, " in ended.out and "7,000 objects, 0 changes, every" in ended.out
    )


def test_a_loki_that_is_killed_loses_nothing_in_silence(spy: Spy, loki: Loki) -> None:
    source, numbers = f"loki+{loki.url}", iter(range(1000))
    with ApiServer(speed=0) as server:
        server.write_kubeconfig(spy.kubeconfig)

        def put(count: int) -> None:
            for _ in range(count):
                server.put(config_map(next(numbers)))

        with spy.running("record", "cm", "--otlp", loki.otlp) as running:
            for _ in range(3):
                with loki.running() as process:
                    server.wait_for_watches(1, PATIENCE)
                    put(50)
                    wait_until(lambda: "ConfigMap" in lines(loki))
                    put(25)
                    process.kill()
                put(25)
            running.wait_for_talk("cannot deliver lines")
            with loki.running():
                put(1)
                wait_until(lambda: '\\"300\\"' in lines(loki))
                ended = running.end()
                assert ended.code == 0, ended.err
                verified = spy.run("ls", "--verify", source)
                shown = spy.run("show", source, "cm/web", "-o", "json")
                seqs = re.findall(r'\{\\"seq\\":(\d+)', lines(loki))
    lost = sum(map(int, re.findall(r"(\d+) lines? missing before it", verified.err)))
    held = set(map(int, seqs))
    assert max(held) == len(held) + lost
    assert verified.code == int(lost > 0)
    assert json.loads(shown.out)["data"] == {"number": "300"}


def lines(loki: Loki) -> str:
    """Return all that Loki has, as it answers."""
    query = {"query": '{service_name="kubectl-spy"}', "limit": "2000"}
    where = f"{loki.url}/loki/api/v1/query_range"
    with urlopen(f"{where}?{urlencode(query)}", timeout=PATIENCE) as answer:
        return str(answer.read().decode())
