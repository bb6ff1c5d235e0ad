"""Watch through a proxy that cuts every connection, and account for every version.

python -m tests.e2e.endurance --minutes 60

Writers change ConfigMaps on a real API server and keep what it answered. `kubectl spy
changes` watches them through the proxy. In the end each version that was written must
have been printed, once, in order, and the patches must lead to what the server has.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonpatch

from tests.e2e.cluster import Cluster, watching
from tests.e2e.controlplane import ControlPlane
from tests.e2e.cutting_proxy import CuttingProxy

PATH = "/api/v1/namespaces/default/configmaps"
NAMES = [f"endurance-{number}" for number in range(20)]
LIFETIME = (0.5, 6.0)
VERSIONS, LINKS = 100, 5
"""How many are written, and cut, at least."""
MUTE = 0.02
"""Of the connections: each is found out after 70 s of silence."""
SETTLE = 200.0
"""Seconds for the last version to arrive: two links in a row may be mute."""


@dataclass
class Account:
    """What was written, and what came of it."""

    written: dict[str, list[str]] = field(default_factory=dict)
    """resourceVersions by name, in order."""
    latest: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, list[str]] = field(default_factory=dict)
    gaps: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)

    @property
    def versions(self) -> int:
        """How many were written."""
        return sum(map(len, self.written.values()))

    @property
    def wrong(self) -> list[str]:
        """The names of what was not printed as it was written."""
        return [
            name
            for name, versions in self.written.items()
            if self.printed.get(name) != versions
        ]


def endure(
    cluster: Cluster,
    directory: Path,
    *,
    seconds: float,
    a_second: float = 10.0,
    lifetime: tuple[float, float] = LIFETIME,
    mute: float = MUTE,
    seed: int = 1,
) -> Account:
    """Write and watch for so long; return the account."""
    account = Account()
    plane = cluster.control_plane
    proxy = CuttingProxy(plane.port, lifetime=lifetime, mute=mute, seed=seed)
    with proxy.running():
        config = json.loads(cluster.kubeconfig.read_text())
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{proxy.port}"
        kubeconfig = directory / "proxied.kubeconfig"
        kubeconfig.write_text(json.dumps(config))
        spy = cluster.spy(kubeconfig)
        with watching(spy, "changes", "configmaps", "-n", "default") as watch:
            write(plane, account, proxy, seconds, a_second, random.Random(seed))
            deadline = time.monotonic() + SETTLE
            while time.monotonic() < deadline:
                fold(watch.records, account)
                if not account.wrong:
                    break
                time.sleep(1)
            account.said = watch.running.stderr.decode().splitlines()
    account.fates = proxy.fates
    return account


def write(
    plane: ControlPlane,
    account: Account,
    proxy: CuttingProxy,
    seconds: float,
    a_second: float,
    chance: random.Random,
) -> None:
    """Change one ConfigMap after the other at random, by two writers.

    For so long, and until there is something to tell by.
    """
    end = time.monotonic() + seconds

    def enough() -> bool:
        told = account.versions > VERSIONS and sum(proxy.fates.values()) > LINKS
        return told and time.monotonic() >= end

    def work(names: list[str], seed: float) -> None:
        own = random.Random(seed)
        while not enough():
            one_write(plane, account, own.choice(names), own)
            time.sleep(own.expovariate(a_second / 2))

    halves = [NAMES[::2], NAMES[1::2]]
    writers = [
        threading.Thread(target=work, args=(names, chance.random())) for names in halves
    ]
    for each in writers:
        each.start()
    for each in writers:
        each.join()


def one_write(
    plane: ControlPlane, account: Account, name: str, chance: random.Random
) -> None:
    """Create *name* or give it another value, and remember the version it got."""
    data = {f"key-{chance.randrange(5)}": "é" * chance.randrange(1, 2000)}
    if name in account.latest:
        status, made = plane.request("PATCH", f"{PATH}/{name}", {"data": data})
        if account.latest[name]["data"] == made.get("data"):
            return  # the same value again is no version
    else:
        body = {"metadata": {"name": name}, "data": data}
        status, made = plane.request("POST", PATH, body)
    assert status in (200, 201), made
    version = made["metadata"]["resourceVersion"]
    account.latest[name] = made
    account.written.setdefault(name, []).append(version)


def fold(records: list[dict[str, Any]], account: Account) -> None:
    """Replay *records* and hold them against what was written."""
    documents: dict[str, Any] = {}
    account.printed, account.gaps = {}, 0
    for number, record in enumerate(records, start=1):
        assert record["seq"] == number, record
        account.gaps += record["type"] == "GAP"
        name = record.get("name", "")
        if name not in account.written:
            continue
        if record["type"] == "ADDED":
            documents[name] = record["object"]
        else:
            documents[name] = jsonpatch.apply_patch(documents[name], record["patch"])
        account.printed.setdefault(name, []).append(record["resourceVersion"])
    for name in set(account.written) - set(account.wrong):
        assert documents[name]["data"] == account.latest[name]["data"], name


def main() -> int:
    """Print the account; exit with 1 if a version is missing or a GAP was told."""
    parser = argparse.ArgumentParser(description="Watch through a cutting proxy.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="kubectl-spy-endurance-") as root,
        ControlPlane(Path(root) / "plane") as plane,
    ):
        cluster = Cluster(plane.kubeconfig, Path(root), plane)
        seconds = arguments.minutes * 60
        account = endure(cluster, Path(root), seconds=seconds, seed=arguments.seed)
    printed = sum(map(len, account.printed.values()))
    print(f"{account.versions:,} versions written, {printed:,} printed")
    print(f"objects with a wrong sequence: {len(account.wrong)}; GAPs: {account.gaps}")
    print(f"connections: {dict(account.fates)}")
    print(*account.said, sep="\n")
    return 1 if account.wrong or account.gaps else 0


if __name__ == "__main__":
    sys.exit(main())
