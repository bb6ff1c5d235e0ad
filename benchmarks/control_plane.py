"""Ten thousand Pods on a real control plane, and steady writes to them."""

from __future__ import annotations

import http.client
import json
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.measure import (
    Command,
    Failed,
    count,
    cpu_seconds,
    interleaved,
    peak_bytes,
    to_exit,
    to_first_line,
)
from benchmarks.startup import IMPORTS
from benchmarks.table import Measured, Row, megabytes
from benchmarks.tools import Settings, kubectl, kubectl_spy, kubespy, python
from tests.e2e.controlplane import ControlPlane, missing_binaries

PODS = 10_000
WRITES = 6_000
A_SECOND = 200
WRITERS = 4
SETTLED_SECONDS = 4.0
MEMORY_REACH = 150e6
PATH = "/api/v1/namespaces/default/pods"


@dataclass(frozen=True, slots=True)
class Kept:
    """How a tool kept up: seconds behind at the end, and its cost."""

    behind: float
    event: float
    memory: float


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of a real control plane, if its binaries are there."""
    kept: dict[str, Kept | Failed | None] = {"ours": None, "kubectl": None}
    tools = {
        "ours": (kubectl_spy("changes", "pods", "-A", "--watch-only"), b"MODIFIED"),
        "kubectl": (
            kubectl("get", "pods", "-A", "-w", "--watch-only", "-o", "json"),
            b'"bench": ',
        ),
    }
    if not missing_binaries():
        with (
            tempfile.TemporaryDirectory(prefix="kubectl-spy-bench-") as root,
            ControlPlane(Path(root), nodes=2) as cluster,
        ):
            in_parallel(range(PODS), lambda client, n: create(client, n), cluster)
            yield from first_lines(settings, cluster)
            for name, (argv, token) in tools.items():
                if argv is not None:
                    kept[name] = keep_up(settings, argv, token, cluster)

    def figure(name: str, what: str) -> Measured:
        found = kept[name]
        return getattr(found, what) if isinstance(found, Kept) else found

    where = f"{PODS:,} Pods on a real control plane, {A_SECOND} writes a second"
    peer = "`kubectl get pods -A -w -o json`"
    for what, name in (
        (f"{where}: behind after {WRITES:,}", "behind"),
        (f"{where}: processor time of one", "event"),
    ):
        yield Row(what, figure("ours", name), peer, figure("kubectl", name))
    memory = figure("ours", "memory")
    what = f"{where}: memory of `changes pods -A`"
    yield Row(what, memory, "the limit", MEMORY_REACH, 1.0, megabytes)
    yield Row(what, memory, peer, figure("kubectl", "memory"), None, megabytes)


def first_lines(settings: Settings, cluster: ControlPlane) -> Iterator[Row]:
    """Compare the first line about one Pod among all of them."""
    pod = "pod-00000"
    baseline = settings.command(python("-c", IMPORTS))
    imports = {f"`python -c '{IMPORTS}'`": partial(to_exit, baseline)}
    candidates = imports | {
        name: partial(to_first_line, on(cluster, settings.command(argv)))
        for name, argv in {
            "ours": kubectl_spy("status", f"pod/{pod}"),
            "trace": kubectl_spy("trace", "--once", f"pod/{pod}"),
            "`kubespy status`": kubespy("status", "v1", "Pod", f"default/{pod}"),
            "`kubectl get -w`": kubectl("get", "pod", pod, "-w", "-o", "json"),
        }.items()
        if argv
    }
    medians = interleaved(candidates, 2 * settings.runs)
    where = f"for one of {PODS:,} Pods, real control plane"
    goals = {**dict.fromkeys(imports, 1.6), "`kubespy status`": 2}
    for peer in (each for each in candidates if each not in ("ours", "trace")):
        what = f"first line of `status` {where}"
        yield Row(what, medians.get("ours"), peer, medians[peer], goals.get(peer))
    for peer in imports:
        what = f"first line of `trace --once` {where}"
        yield Row(what, medians.get("trace"), peer, medians[peer], 2.2)


def on(cluster: ControlPlane, command: Command) -> Command:
    """Return *command* for this cluster."""
    env = {**command.env, "KUBECONFIG": str(cluster.kubeconfig)}
    return Command(command.argv, env, command.directory)


def keep_up(
    settings: Settings, argv: Sequence[str], token: bytes, cluster: ControlPlane
) -> Kept | Failed:
    """Run a tool through the writes, each of which it must print."""
    command = on(cluster, settings.command(argv))
    with command.running() as process:
        try:
            settle(process.pid)
            before = cpu_seconds(process.pid)
            began = time.monotonic()

            def write(client: http.client.HTTPSConnection, number: int) -> None:
                time.sleep(max(0.0, began + number / A_SECOND - time.monotonic()))
                annotate(client, number)

            in_parallel(range(WRITES), write, cluster)
            written = time.monotonic()
            while count(command.stdout, token) < WRITES:
                if time.monotonic() > written + 60:
                    return command.failed("did not print every write")
                time.sleep(0.02)
            behind = time.monotonic() - written
            event = (cpu_seconds(process.pid) - before) / WRITES
            return Kept(behind, event, float(peak_bytes(process.pid)))
        except (OSError, IndexError):
            return command.failed("ended early")


def settle(pid: int) -> None:
    """Wait until the tool has read its list, and used no processor time since."""
    used, since = -1.0, time.monotonic()
    while time.monotonic() - since < SETTLED_SECONDS:
        now = cpu_seconds(pid)
        if now > used + 0.02:
            used, since = now, time.monotonic()
        time.sleep(0.1)


def in_parallel(
    numbers: Sequence[int],
    do: Callable[[http.client.HTTPSConnection, int], None],
    cluster: ControlPlane,
) -> None:
    """Call *do* for every number, over a few connections that stay open."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in numbers:
        todo.put(number)
    failures: list[Exception] = []

    def work() -> None:
        with ExitStack() as stack:
            client = http.client.HTTPSConnection(
                "127.0.0.1", cluster.port, context=cluster.certificates.client("admin")
            )
            stack.callback(client.close)
            while not failures:
                try:
                    do(client, todo.get_nowait())
                except queue.Empty:
                    return
                except Exception as error:
                    failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def create(client: http.client.HTTPSConnection, number: int) -> None:
    """Create a Pod on a node that only exists in kwok."""
    labels = {"app": f"app-{number % 100}"}
    spec = {
        "nodeName": f"node-{number % 2}",
        "containers": [{"name": "main", "image": "example.com/nothing:1"}],
    }
    metadata = {"name": f"pod-{number:05}", "labels": labels}
    send(client, "POST", PATH, {"metadata": metadata, "spec": spec})


def annotate(client: http.client.HTTPSConnection, number: int) -> None:
    """Change one Pod: to what it never was, or nothing would be written."""
    annotations = {"bench": str(time.time_ns())}
    path = f"{PATH}/pod-{number % PODS:05}"
    send(client, "PATCH", path, {"metadata": {"annotations": annotations}})


def send(
    client: http.client.HTTPSConnection, method: str, path: str, body: object
) -> None:
    kind = "merge-patch+json" if method == "PATCH" else "json"
    headers = {"Content-Type": f"application/{kind}"}
    client.request(method, path, json.dumps(body), headers)
    answer = client.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise Failed(f"{method} {path}: {answer.status} {text[:200]!r}")
