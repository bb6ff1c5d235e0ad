"""Find kubectl-spy, its peers and a load to point them at."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.measure import Command
from benchmarks.objects import NAMESPACE, pod_name

REPOSITORY = Path(__file__).resolve().parent.parent
POD = pod_name(0)


@dataclass(frozen=True, slots=True)
class Settings:
    """How much to measure, and a directory for kubeconfigs, caches and output."""

    runs: int
    events: int
    directory: Path
    plot: Path | None = None
    """Where the curves of scale go, if anywhere."""
    archive: Path | None = None
    """The program of an unpacked krew archive, to measure beside the working copy."""

    def command(self, argv: Sequence[str], server: LoadServer | None = None) -> Command:
        """Return *argv* as a command with a home, and so with caches, of its own."""
        env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(REPOSITORY),
            "HOME": str(self.directory),
            "XDG_CACHE_HOME": str(self.directory / ".cache"),
            "KUBECONFIG": str(server.kubeconfig) if server else os.devnull,
            "LANG": "C.UTF-8",
        }
        return Command(argv, env, self.directory)


@dataclass(frozen=True, slots=True)
class LoadServer:
    """A running load server: how to reach it, and what one may ask of it."""

    port: int
    kubeconfig: Path

    def hold(self) -> None:
        """Keep the events back from watches that start from now on."""
        self._ask("POST", "/_bench/hold")

    def go(self) -> None:
        """Let go of the events it holds back."""
        self._ask("POST", "/_bench/go")

    def requests(self) -> list[str]:
        """Return the requests since this was last asked."""
        requests: list[str] = json.loads(self._ask("GET", "/_bench/requests"))
        return requests

    def _ask(self, method: str, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path)
            return connection.getresponse().read()
        finally:
            connection.close()


@contextmanager
def load_server(
    settings: Settings, *, pods: int, events: int, types: int = 1, tls: bool = False
) -> Iterator[LoadServer]:
    """Run a load server for as long as the block lasts; with *tls*, only for load."""
    argv = python("-m", "benchmarks.load_server", f"--pods={pods}", f"--types={types}")
    argv += [f"--events={events}", *["--tls"] * tls]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert process.stdout is not None
    with process.stdout:
        try:
            told = json.loads(process.stdout.readline())
            port = told["port"]
            kubeconfig = settings.directory / f"kubeconfig-{port}"
            write_kubeconfig(kubeconfig, port, told["authority"])
            yield LoadServer(port, kubeconfig)
        finally:
            process.terminate()
            process.wait()


def write_kubeconfig(path: Path, port: int, authority: str) -> None:
    """Write a kubeconfig whose only context is the load server, perhaps with TLS."""
    server, user = {"server": f"http://127.0.0.1:{port}"}, {}
    if authority:
        user = {"token": "bench"}  # without any, kubespy asks for a name
        encoded = base64.b64encode(authority.encode()).decode()
        server = {
            "server": f"https://127.0.0.1:{port}",
            "certificate-authority-data": encoded,
        }
    context = {"cluster": "bench", "user": "bench", "namespace": NAMESPACE}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [{"name": "bench", "cluster": server}],
        "users": [{"name": "bench", "user": user}],
        "contexts": [{"name": "bench", "context": context}],
    }
    path.write_text(yaml.safe_dump(config))  # as kubectl does


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def kubectl_spy(*arguments: str) -> list[str] | None:
    """Return the command line of this working copy; None while it has no CLI."""
    argv = python("-m", "kubectl_spy")
    probe = subprocess.run([*argv, "--version"], cwd=REPOSITORY, capture_output=True)
    return [*argv, *arguments] if probe.returncode == 0 else None


def kubectl(*arguments: str) -> list[str] | None:
    path = shutil.which("kubectl")
    return [path, *arguments] if path else None


def kubespy(*arguments: str) -> list[str] | None:
    """Look on PATH, then in the project's cache.

    To build it, in benchmarks/kubespy, which pins it and mends what it depends on:
    go build -o ~/.cache/kubectl-spy/bin/kubespy github.com/pulumi/kubespy
    """
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cached = Path(cache) / "kubectl-spy" / "bin"
    path = shutil.which("kubespy") or shutil.which("kubespy", path=str(cached))
    return [path, *arguments] if path else None
