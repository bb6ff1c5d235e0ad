"""A rollout, sent to a real OpenTelemetry Collector and read back from its file.

It is the executable that KUBECTL_SPY_COLLECTOR names, or what scripts/collector has
built.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from kubectl_spy.sources.recording.segments import lines_of
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Spy
from tests.e2e.built import find_built
from tests.e2e.conftest import absent
from tests.e2e.controlplane import free_ports
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import start, wait_until

CONFIG = """\
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{{exporter}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{logs: {{receivers: [otlp], exporters: [{name}]}}}}
"""


def find_collector() -> str:
    """Return an executable, or fail or skip where there is none."""
    found = find_built("collector", "collector/otelcol", "collector")
    return found or absent("collector", remedy="run scripts/collector")


def collecting(
    port: int, path: Path
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a collector that writes what comes to *port* to the file at *path*."""
    return _running(port, path.parent, "file", f'path: "{path}", append: true')


def forwarding(
    port: int, to: int, directory: Path
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run a collector that sends what comes to *port* to the one at *to*."""
    return _running(port, directory, "otlphttp", f'endpoint: "http://127.0.0.1:{to}"')


@contextmanager
def _running(
    port: int, directory: Path, name: str, settings: str
) -> Iterator[subprocess.Popen[bytes]]:
    config = directory / f"{name}.yaml"
    exporter = f"{name}: {{{settings}}}"
    config.write_text(CONFIG.format(port=port, name=name, exporter=exporter))
    collector = start(
        [find_collector(), f"--config=file:{config}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: _answers(port))
        yield collector
    finally:
        collector.terminate()  # it writes what it holds
        collector.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    return Spy(tmp_path)


def test_commands_say_the_same_of_the_collectors_file(spy: Spy) -> None:
    file, logs = spy.home / "web.spy", spy.home / "otlp.jsonl"
    (port,) = free_ports(1)
    with ApiServer(("deploy-rollout",), speed=8) as server, collecting(port, logs):
        server.write_kubeconfig(spy.kubeconfig, namespace="deploy-rollout")
        url = f"http://127.0.0.1:{port}"
        words = ("deploy/nginx", "--owned", "-f", str(file), "--otlp", url)
        with spy.running("record", *words) as running:
            running.wait_for_talk("watching")
            wait_until(lambda: file.read_bytes().count(b'"MODIFIED"') > 50)
            assert running.end().code == 0
    for command in (
        "ls {} --verify",
        "show {} deploy/nginx",
        "show {} deploy/nginx --at first+2s",
        "trace --from {}",
        "changes {}",
        "ls {} -o json",
    ):
        one, other = (spy.run(*command.format(name).split()) for name in (file, logs))
        assert one.code == other.code == 0, other.err
        assert one.out.replace(str(file), "F") == other.out.replace(str(logs), "F")


def test_a_recording_is_whole_after_two_collectors(spy: Spy) -> None:
    file, logs = spy.home / "web.spy", spy.home / "otlp.jsonl"
    near, far = free_ports(2)
    flags = ("-f", str(file), "--otlp", f"http://127.0.0.1:{near}")
    with ApiServer(speed=0) as server, forwarding(near, far, spy.home):
        server.write_kubeconfig(spy.kubeconfig)
        with spy.running("record", "cm", *flags) as running:
            server.wait_for_watches(1, PATIENCE)
            for number in range(50):
                server.put(config_map(number, size=5000))
            with collecting(far, logs):  # late: the one before it keeps what came
                for number in range(50, 100):
                    server.put(config_map(number, size=5000))
                wait_until(lambda: file.read_bytes().count(b'"MODIFIED"') == 99)
                ended = running.end()
                lines = file.read_bytes().splitlines(keepends=True)
                wait_until(
                    lambda: logs.read_bytes().count(b"kubectl_spy.seq") >= len(lines)
                )
    assert ended.code == 0, ended.err
    assert [each.raw for each in lines_of(str(logs))] == lines


def test_what_a_killed_collector_lost_is_named(spy: Spy) -> None:
    logs = spy.home / "otlp.jsonl"
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with ApiServer(speed=0) as server:
        server.write_kubeconfig(spy.kubeconfig)
        with spy.running("record", "cm", "--otlp", url) as running:
            with collecting(port, logs) as collector:
                server.wait_for_watches(1, PATIENCE)
                for number in range(50):
                    server.put(config_map(number))
                wait_until(lambda: logs.exists() and logs.read_bytes()[-1:] == b"\n")
                for number in range(50, 75):
                    server.put(config_map(number))
                collector.kill()
            for number in range(75, 100):
                server.put(config_map(number))
            running.wait_for_talk("cannot deliver lines")
            with collecting(port, logs):
                server.put(config_map(100))
                running.wait_for_talk("answers again")
                ended = running.end()
    assert ended.code == 0, ended.err
    verified = spy.run("ls", "--verify", str(logs))
    lost = sum(map(int, re.findall(r"(\d+) lines? missing before it", verified.err)))
    held = {int(seq) for seq in re.findall(rb'\{\\"seq\\":(\d+),', logs.read_bytes())}
    assert max(held) == len(held) + lost
    assert verified.code == int(lost > 0)
    shown = spy.run("show", str(logs), "cm/web", "-o", "json")
    assert json.loads(shown.out)["data"] == {"number": "100"}
