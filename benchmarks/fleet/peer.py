"""The same load for the k8sobjects receiver of the OpenTelemetry Collector, to compare.

    cd benchmarks/fleet/k8sobjects && go build -o ~/.cache/kubectl-spy/bin/k8sobjects .
    PYTHONPATH=. python -m benchmarks.fleet.peer --minutes 3 --pods 1000 --kills 3

It tells how many of the writes are in Loki, and what they take there.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from benchmarks.fleet.running import EARLY, cost, killing, say, writing
from benchmarks.fleet.services import Service, begun, is_ready, loki, wait_until
from benchmarks.fleet.stored import on_disk, sums
from tests.e2e.controlplane import ControlPlane, free_ports

CONFIG = """\
receivers:
  k8sobjects:
    auth_type: kubeConfig
    objects: [{{name: pods, mode: watch}}]
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:{loki}/otlp
    sending_queue: {{enabled: {queue}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{logs: {{receivers: [k8sobjects], exporters: [otlphttp]}}}}
"""
LIMITS = ", ingestion_rate_mb: 64, ingestion_burst_size_mb: 128"
STREAMS = '{service_name=~".+"}'
VERSION = re.compile(r'"resourceVersion":"(\d+)"')
PAGE = 200  # lines, of which Loki sends 4 MiB at most
SETTLE = 10.0


def main() -> None:
    """Print what the receiver brought into Loki."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--pods", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-queue", action="store_true")
    parser.add_argument(
        "--program",
        type=Path,
        default=Path.home() / ".cache" / "kubectl-spy" / "bin" / "k8sobjects",
    )
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-peer-") as temporary:
        cluster = begun(Path(temporary) / "cluster")
        try:
            print(json.dumps(run(wanted, Path(temporary), cluster), indent=2))
        finally:
            cluster.close()


def run(
    wanted: argparse.Namespace, root: Path, cluster: ControlPlane
) -> dict[str, Any]:
    http, grpc = free_ports(2)
    config = root / "peer.yaml"
    config.write_text(CONFIG.format(loki=http, queue=str(not wanted.no_queue).lower()))
    command = [str(wanted.program), f"--config=file:{config}"]
    env = {"KUBECONFIG": str(cluster.kubeconfig), "HOME": str(root)}
    store = loki(root, http, grpc, LIMITS)
    peer = Service("k8sobjects", command, root / "peer.log", env)
    writer = writing(wanted, root, cluster)
    assert writer.stdin is not None and writer.stdout is not None
    try:
        store.start()
        wait_until(lambda: is_ready(http), "Loki")
        first = json.loads(writer.stdout.readline())
        peer.start()
        since = time.time()
        killing([peer], wanted)
        since += EARLY * (time.time() - since)
        writer.stdin.close()
        last = json.loads(writer.stdout.readline())
        time.sleep(SETTLE)
        peer.end(10.0)
        rows = [
            json.loads(line) for line in (root / "truth.jsonl").read_text().splitlines()
        ]
        written = {row[4] for row in rows if row[2] > since and row[5]}
        sizes = dict(lines(http, since - 60))
        say((root / "peer.log").read_text()[-2000:])
        return {
            "writes": {name: last[name] - first[name] for name in last},
            "cost": cost(peer),
            "written": len(written),
            "not in Loki": len(written - sizes.keys()),
            "versions in Loki": len(sizes),
            "lines": sums(http, f"sum(count_over_time({STREAMS} [1h]))")["other"],
            "bytes of a line": round(sum(sizes.values()) / max(1, len(sizes))),
            "bytes on disk": on_disk(http, root / "loki"),
        }
    finally:
        writer.kill()
        writer.wait()
        peer.end(1.0)
        store.end(1.0)


def lines(port: int, since: float) -> Iterator[tuple[str, int]]:
    """Yield the version and the size of each object in Loki."""
    start, before = int(since * 1e9), -1
    while start != before:
        query = {"query": STREAMS, "start": start, "limit": PAGE}
        query |= {"end": int(time.time() * 1e9), "direction": "forward"}
        where = f"http://127.0.0.1:{port}/loki/api/v1/query_range?{urlencode(query)}"
        with urlopen(where, timeout=120) as answer:
            found = json.load(answer)["data"]["result"]
        before = start
        for stream in found:
            for when, body, *_ in stream["values"]:
                start = max(start, int(when))
                if version := VERSION.search(body):
                    yield version[1], len(body)


if __name__ == "__main__":
    main()
