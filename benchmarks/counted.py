"""Count bytecodes, which noise cannot change, and compare them with those kept.

It exits with 1 if a count differs by 3 % or more. counts.json is for one version of
Python: each has bytecodes of its own. It takes a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from benchmarks import objects
from benchmarks.counting import bytecodes
from benchmarks.in_process import comparing, showing
from benchmarks.recorded import recorded_churn
from benchmarks.tools import POD, REPOSITORY, Settings, load_server, python

KEPT = REPOSITORY / "benchmarks" / "counts.json"
MOST = 0.03  # of a count, by which it may differ
FEW, MANY = 200, 600  # events
PATIENT = "--request-timeout=60s"  # for a Tab, which gives up early otherwise
STARTS = {
    "--version": ["--version"],
    "Tab for types": ["__complete", "status", PATIENT, ""],
    "Tab for names": ["__complete", "status", PATIENT, "pods", ""],
    "first line of status": ["status", f"pod/{POD}", "--for", "create"],
    "trace --once": ["trace", "--once", f"pod/{POD}"],
}


def main() -> int:
    """Print the counts that differ from those kept, or keep them."""
    parser = argparse.ArgumentParser("benchmarks.counted", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep these counts")
    writes = parser.parse_args().write
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-counts-") as directory:
        found = dict(counts(Path(directory)))
    if writes:
        KEPT.write_text(json.dumps({"python": version, "counts": found}, indent=2))
        return 0
    kept = json.loads(KEPT.read_text())
    if kept["python"] != version:
        print(f"the counts kept are those of Python {kept['python']}: not compared")
        return 0
    told = list(differences(kept["counts"], found))
    print("\n".join(told) or "all counts are as they were")
    if told:
        print("if that is meant: python -m benchmarks.counted --write")
    return bool(told)


def counts(directory: Path) -> Iterator[tuple[str, Any]]:
    """Yield what was counted: bytecodes, and what packages are imported."""
    settings = Settings(runs=1, events=1, directory=directory)
    with load_server(settings, pods=10, events=1) as server:
        server.hold()
        for name, words in STARTS.items():
            count(settings, words, server.kubeconfig)  # bytecode and discovery
            yield name, count(settings, words, server.kubeconfig)
    yield "an event", each(shown)
    yield "a changed element", each(lambda number: bytecodes(comparing(number)))

    def replayed(changes: int) -> int:
        file = directory / f"{changes}.spy"
        recorded_churn(file, pods=10, changes=changes)
        held = count(settings, ["changes", str(file)], Path(os.devnull))
        return int(held["bytecodes"])

    yield "a replayed change", each(replayed)


def each(counted: Callable[[int], int]) -> int:
    """Return what one more event takes, on average."""
    return round((counted(MANY) - counted(FEW)) / (MANY - FEW))


def shown(events: int) -> int:
    """Return the bytecodes of showing *events* versions of a Pod."""
    pods = [orjson.loads(line)["object"] for _, line in objects.churn(1, events)]
    show = showing()

    def run() -> None:
        for moment, pod in enumerate(pods):
            show(float(moment), pod)

    return bytecodes(run)


def count(settings: Settings, words: list[str], kubeconfig: Path) -> dict[str, Any]:
    """Return the bytecodes of a command, and the packages that it imports."""
    held = settings.directory / "count.json"
    argv = python("-m", "benchmarks.counting", str(held), *words)
    env = settings.command(argv).env
    seed = {"KUBECONFIG": str(kubeconfig), "PYTHONHASHSEED": "0"}
    ended = subprocess.run(argv, env={**env, **seed}, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(words)}: {ended.stderr or ended.stdout}")
    found: dict[str, Any] = json.loads(held.read_text())
    return found


def differences(kept: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each count that differs by too much."""
    for name in sorted({*kept, *found}):
        old, new = (held.get(name, 0) for held in (kept, found))
        if isinstance(old, dict) and isinstance(new, dict):
            if old["packages"] != new["packages"]:
                yield f"{name}: imports {new['packages']}, and not {old['packages']}"
            old, new = old["bytecodes"], new["bytecodes"]
        if not isinstance(old, int) or not isinstance(new, int):
            yield f"{name}: is new, or gone"
        elif abs(new - old) >= MOST * max(old, 1):
            yield f"{name}: {new:,} bytecodes, {new / max(old, 1) - 1:+.1%}"


if __name__ == "__main__":
    sys.exit(main())
