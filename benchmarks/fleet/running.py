"""Run the parts of a recording: write to the cluster, and kill parts at random."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.fleet.load import NAMESPACES
from benchmarks.fleet.services import Service
from benchmarks.tools import REPOSITORY
from tests.e2e.controlplane import ControlPlane

EARLY = 0.05  # the share of the time without kills, for the first list
SAMPLE = 1.0  # seconds
PAUSE = (1.0, 5.0)  # seconds until a killed part starts again


def writing(
    wanted: argparse.Namespace, root: Path, cluster: ControlPlane
) -> subprocess.Popen[str]:
    """Return the running writer, in a cluster with its namespaces."""
    for number in range(NAMESPACES):
        metadata = {"name": f"team-{number:02}"}
        cluster.request("POST", "/api/v1/namespaces", {"metadata": metadata})
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


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
