"""Record a cluster into Loki for minutes, kill the parts, and ask what objects were.

PYTHONPATH=. python -m benchmarks.fleet --minutes 10 --pods 10000 --kills 10

scripts/control-plane, scripts/collector and scripts/loki build what it needs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.fleet import questions
from benchmarks.fleet.running import EARLY, cost, killing, say, writing
from benchmarks.fleet.services import (
    begun,
    collector,
    environment,
    is_ready,
    listens,
    loki,
    recorder,
    wait_until,
)
from benchmarks.fleet.stored import stored, verified
from benchmarks.run import processor
from tests.e2e.controlplane import ControlPlane, free_ports

SETTLE = 20.0  # seconds for the last lines to arrive


def main() -> int:
    """Print the figures. Exit with 1 if an answer was wrong and did not say so."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=100, help="changes a second")
    parser.add_argument("--kills", type=int, default=10, help="of each part")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--no-queue", action="store_true", help="in the collector")
    parser.add_argument(
        "--limits",
        default="ingestion_rate_mb: 16, ingestion_burst_size_mb: 32",
        help="Loki's limits_config",
    )
    parser.add_argument("--keep", type=Path, help="a directory for all files")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} × {processor()}; {vars(arguments)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-fleet-") as temporary:
        root = arguments.keep or Path(temporary)
        root.mkdir(parents=True, exist_ok=True)
        cluster = begun(root / "cluster")
        try:
            figures = run(arguments, root, cluster)
        finally:
            cluster.close()
    print(json.dumps(figures, indent=2))
    return 1 if figures["answers"].get("wrong") else 0


def run(
    wanted: argparse.Namespace, root: Path, cluster: ControlPlane
) -> dict[str, Any]:
    http, grpc, port = free_ports(3)
    parts = [
        loki(root, http, grpc, f", {wanted.limits}" if wanted.limits else ""),
        collector(root, port, http, queue=not wanted.no_queue),
        recorder(root, cluster, port),
    ]
    writer = writing(wanted, root, cluster)
    assert writer.stdin is not None and writer.stdout is not None
    source = f"loki+http://127.0.0.1:{http}"
    env = environment(root, cluster)
    try:
        parts[0].start()
        wait_until(lambda: is_ready(http), "Loki")
        parts[1].start()
        wait_until(lambda: listens(port), "the collector")
        first = json.loads(writer.stdout.readline())
        say(f"{wanted.pods} Pods are there")
        parts[2].start()
        since = time.time()
        killing(parts, wanted)
        until = time.time()
        since += EARLY * (until - since)
        writer.stdin.close()
        last = json.loads(writer.stdout.readline())
        say("the load is over")
        load = sum(os.getloadavg()) / 3
        time.sleep(SETTLE)
        parts[2].end(60.0)
        figures = {
            "seed": wanted.seed,
            "load average": round(load, 1),
            "seconds": round(until - since, 1),
            "writes": {name: last[name] - first[name] for name in last},
            "cost": {each.name: cost(each) for each in parts},
            "stored": stored(http, root / "loki", until - since + 300),
        }
        say(json.dumps(figures))
        held = questions.writes(root / "truth.jsonl")
        rows = questions.chosen(held, since, until, wanted.questions, wanted.seed)
        answers = questions.asked(rows, source, env)
        tell(answers, root / "answers.txt")
        figures["answers"] = questions.summary(answers)
        say(json.dumps(figures["answers"]))
        return {**figures, "verify": verified(source, env, since)}
    finally:
        writer.kill()
        writer.wait()
        for each in reversed(parts):
            each.end(5.0)


def tell(answers: list[questions.Answer], path: Path) -> None:
    lines = [
        f"{each.verdict} {each.right} {each.seconds:.2f} {each.question} {each.said}"
        for each in answers
    ]
    path.write_text("\n".join(lines) + "\n")
    for line in [line for line in lines if line.startswith(("wrong", "failed"))][:20]:
        say(line[:600])


if __name__ == "__main__":
    sys.exit(main())
