"""Record a cluster into Loki for minutes, kill the parts, and ask what objects were.

PYTHONPATH=. python -m benchmarks.fleet --minutes 10 --pods 10000 --kills 10

scripts/control-plane, scripts/collector and scripts/loki build what it needs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.fleet import questions
from benchmarks.fleet.load import NAMESPACES
from benchmarks.fleet.services import (
    Service,
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
from benchmarks.tools import REPOSITORY
from tests.e2e.controlplane import ControlPlane, free_ports

SAMPLE = 1.0  # seconds
EARLY = 0.05  # the share of the time without kills, for the first list
SETTLE = 20.0  # seconds for the last lines to arrive
PAUSE = (1.0, 5.0)  # seconds until a killed part starts again


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
    for number in range(NAMESPACES):
        metadata = {"name": f"team-{number:02}"}
        cluster.request("POST", "/api/v1/namespaces", {"metadata": metadata})
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


def writing(
    wanted: argparse.Namespace, root: Path, cluster: ControlPlane
) -> subprocess.Popen[str]:
    certificate, key = cluster.certificates.issue_client("writer", ["system:masters"])
    settings = {
        "port": cluster.port,
        "authority": str(cluster.certificates.authority),
        "certificate": str(certificate),
        "key": str(key),
        "truth": str(root / "truth.jsonl"),
        "pods": wanted.pods,
        "rate": wanted.rate,
        "seed": wanted.seed,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fleet.load", json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )


def killing(parts: list[Service], wanted: argparse.Namespace) -> None:
    """Kill each part at random moments, and start it again."""
    dice, length = random.Random(wanted.seed), wanted.minutes * 60
    due: list[tuple[float, Service]] = []
    for part in parts:
        slot = (
            length * (1 - 2 * EARLY) / max(1, wanted.kills)
        )  # it is up again before the next
        for number in range(wanted.kills):
            at = length * EARLY + slot * number
            due.append((at + dice.uniform(0, max(0.1, slot - PAUSE[1])), part))
    due.sort(key=lambda each: each[0])
    again: list[tuple[float, Service]] = []
    began, sampled = time.monotonic(), 0.0
    while (now := time.monotonic() - began) < length:
        if due and due[0][0] <= now:
            part = due.pop(0)[1]
            if part.process is not None:
                part.kill()
                pause = dice.uniform(*PAUSE)
                again.append((now + pause, part))
                say(f"{now:6.1f} s: {part.name} is killed for {pause:.1f} s")
        for each in [each for each in again if each[0] <= now]:
            again.remove(each)
            each[1].start()
        if now - sampled >= SAMPLE:
            sampled = now
            for part in parts:
                part.sample()
        time.sleep(0.02)
    for _, part in again:
        part.start()


def cost(part: Service) -> dict[str, float]:
    return {
        "kills": part.kills,
        "cpu s": round(part.cpu, 1),
        "cpu of a second, median": round(part.steady, 3),
        "peak MB": round(part.peak / 1e6, 1),
    }


def tell(answers: list[questions.Answer], path: Path) -> None:
    lines = [
        f"{each.verdict} {each.right} {each.seconds:.2f} {each.question} {each.said}"
        for each in answers
    ]
    path.write_text("\n".join(lines) + "\n")
    for line in [line for line in lines if line.startswith(("wrong", "failed"))][:20]:
        say(line[:600])


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
