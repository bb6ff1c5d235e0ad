"""The parts of a fleet's recording: a control plane, a recorder, a collector, a Loki.

Each part but the control plane may be killed and started again.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from benchmarks.measure import cpu_seconds, peak_bytes
from benchmarks.tools import REPOSITORY
from tests.e2e.built import find_built, loki_config
from tests.e2e.controlplane import ControlPlane
from tests.processes import PATIENCE, start

COLLECTOR = """\
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:{loki}/otlp
    sending_queue: {{enabled: {queue}}}
    retry_on_failure: {{enabled: true, initial_interval: 1s, max_interval: 5s}}
service:
  telemetry: {{metrics: {{level: none}}, logs: {{level: error}}}}
  pipelines: {{logs: {{receivers: [otlp], exporters: [otlphttp]}}}}
"""


def found(name: str, module: str, program: str) -> str:
    """Return the program that scripts/NAME has built."""
    path = find_built(name, module, program)
    if path is None:
        raise SystemExit(f"error: no {name}; run scripts/{name}")
    return path


def begun(root: Path) -> ControlPlane:
    """Return an API server without controllers: nobody else writes."""
    flags = ["--disable-admission-plugins=ServiceAccount"]
    cluster = ControlPlane(root, apiserver=flags)
    root.mkdir(parents=True, exist_ok=True)
    cluster.certificates.create()
    cluster.write_kubeconfig(cluster.kubeconfig, "admin", ["system:masters"])
    try:
        cluster.start("etcd")
        cluster.start("kube-apiserver")
        cluster.wait_ready()
    except BaseException:
        cluster.close()
        raise
    return cluster


@dataclass(slots=True)
class Service:
    """A program that is killed and started again, and what it has cost so far."""

    name: str
    command: Sequence[str]
    log: Path
    env: Mapping[str, str] | None = None
    port: int | None = None
    process: subprocess.Popen[bytes] | None = None
    kills: int = 0
    peak: int = 0
    samples: list[tuple[float, int, float]] = field(default_factory=list)
    """The time, the process, and the processor time it had used."""

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = start(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.env,
                cwd=REPOSITORY,
            )

    def kill(self) -> None:
        assert self.process is not None
        self.sample()
        self.process.kill()
        self.process.wait()
        self.process = None
        self.kills += 1

    def end(self, patience: float) -> None:
        """End it as an init system does."""
        if self.process is not None:
            self.sample()
            self.process.terminate()
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def sample(self) -> None:
        """Note what the process has used."""
        with suppress(OSError, IndexError):
            if self.process is not None:
                pid = self.process.pid
                self.samples.append((time.time(), pid, cpu_seconds(pid)))
                self.peak = max(self.peak, peak_bytes(pid))

    @property
    def cpu(self) -> float:
        """The processor time of all its processes."""
        last = {pid: used for _, pid, used in self.samples}
        return sum(last.values())

    @property
    def steady(self) -> float:
        """The median of the processor time that a second of the wall clock took."""
        pairs = zip(self.samples, self.samples[1:], strict=False)
        rates = sorted(
            (after[2] - before[2]) / (after[0] - before[0])
            for before, after in pairs
            if before[1] == after[1] and after[0] > before[0]
        )
        return rates[len(rates) // 2] if rates else 0.0


def loki(root: Path, http: int, grpc: int, limits: str) -> Service:
    """Return a Loki that keeps its lines below *root*."""
    config = root / "loki.yaml"
    path = root / "loki"
    config.write_text(loki_config(http, grpc, path, limits))
    program = found("loki", "github.com/grafana/loki/v3", "loki")
    command = [program, f"-config.file={config}"]
    return Service("Loki", command, root / "loki.log", port=http)


def collector(root: Path, port: int, loki_port: int, *, queue: bool) -> Service:
    """Return a collector that sends what comes to *port* to Loki."""
    config = root / "collector.yaml"
    said = COLLECTOR.format(port=port, loki=loki_port, queue=str(queue).lower())
    config.write_text(said)
    program = found("collector", "collector/otelcol", "collector")
    command = [program, f"--config=file:{config}"]
    return Service("collector", command, root / "collector.log", port=port)


def spy(*words: str) -> list[str]:
    """Return the command line of kubectl spy in this working copy."""
    return [sys.executable, "-m", "kubectl_spy", *words]


def environment(root: Path, cluster: ControlPlane) -> dict[str, str]:
    """Return the environment of kubectl spy, with a home of its own."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(REPOSITORY),
        "HOME": str(root),
        "KUBECONFIG": str(cluster.kubeconfig),
        "LANG": "C.UTF-8",
    }


def recorder(root: Path, cluster: ControlPlane, port: int) -> Service:
    """Return a recorder of all Pods, which continues where it was killed."""
    url = f"http://127.0.0.1:{port}"
    words = ("record", "pods", "-A", "--otlp", url, "--resume", str(root / "resume"))
    env = environment(root, cluster)
    return Service("recorder", spy(*words), root / "recorder.log", env)


def wait_until(ready: Callable[[], bool], what: str) -> None:
    """Return once *ready*."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise SystemExit(f"error: {what} did not come")
        time.sleep(0.1)


def is_ready(port: int) -> bool:
    """Return whether the Loki at *port* is ready."""
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/ready") as answer:
        return bool(answer.status == 200)
    return False


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
