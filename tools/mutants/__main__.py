"""Make faults in core/, and print which tests catch each of them.

python -m tools.mutants [--count N] [--seed S] [--first N] [--all] [--list]

For each fault, in a copy of the checkout, the tests of the fault's own folder run, then
those of core and render, until one fails: that test is printed. --all then runs all
tests for what these let pass. With the same seed the faults are the same, wherever
their functions stand: so two checkouts can be compared. 60 faults take an hour.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.mutants.faults import Fault, chosen

HERE = Path(__file__).resolve().parents[2]
CORE = "kubectl_spy/core"
WIDER = ("tests/core", "tests/render", "tests/extras/spans")
HANGS = 900  # seconds after which a run of tests hangs: the fault is caught


def main() -> int:
    """Print each fault and what caught it; return 0."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--count", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="the number to begin at")
    options.add_argument("--all", action="store_true", help="then run all tests")
    options.add_argument("--list", action="store_true", help="print the faults only")
    options.add_argument("--workers", type=int, default=os.cpu_count())
    wanted = options.parse_args()
    files = [each.relative_to(HERE) for each in (HERE / CORE).rglob("*.py")]
    faults = chosen(HERE, files, wanted.count, wanted.seed)[wanted.first :]
    if wanted.list:
        print("\n".join(map(str, faults)))
        return 0
    caught: Counter[str] = Counter()
    with TemporaryDirectory(prefix="kubectl-spy-mutants-") as directory:
        copy = Path(directory) / "checkout"
        shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns(".*", "build"))
        for number, fault in enumerate(faults, wanted.first):
            began = time.monotonic()
            fault.apply(copy)
            steps = [*near(copy, fault), *WIDER, *(["tests"] if wanted.all else [])]
            by = caught_by(copy, steps, wanted.workers)
            shutil.copy(HERE / fault.file, copy / fault.file)
            took = time.monotonic() - began
            print(
                f"{number:3} {fault}\n      {by or 'PASSES'} ({took:.0f} s)", flush=True
            )
            caught[by.partition("::")[0] or "PASSES"] += 1
    passed = caught.pop("PASSES", 0)
    print(f"\n{caught.total()} of {len(faults)} are caught, {passed} pass")
    for test, count in caught.most_common():
        print(f"{count:4} {test}")
    return 0


def near(root: Path, fault: Fault) -> Iterator[str]:
    """Yield the tests that stand where the fault's file does, the nearest first."""
    parts = fault.file.relative_to("kubectl_spy").with_suffix("").parts
    name = Path("tests", *parts[:-1], f"test_{parts[-1]}.py")
    if (root / name).exists():
        yield str(name)
    for depth in range(len(parts) - 1, 1, -1):
        folder = Path("tests", *parts[:depth])
        if (root / folder).is_dir():
            yield str(folder)


def caught_by(root: Path, steps: list[str], workers: int) -> str:
    """Return the first test that fails, of the first of *steps* with one; or ""."""
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    # Python must read the changed source, not bytecode from before the fault.
    env["PYTHONPYCACHEPREFIX"] = str(root / ".bytecode")
    options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-rfE"]
    options += ["-n", str(workers), "--dist", "loadfile"]
    options += ["--ignore=tests/e2e", "--ignore=tests/ship"]
    for step in dict.fromkeys(steps):
        argv = [sys.executable, "-m", "pytest", step, *options]
        try:
            run = subprocess.run(
                argv, cwd=root, env=env, capture_output=True, text=True, timeout=HANGS
            )
        except subprocess.TimeoutExpired:
            return f"{step} hangs"
        if run.returncode not in (0, 5):  # 5: there are no tests
            found = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
            return found[1] if found else f"{step} ends with {run.returncode}"
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
