"""Measure kubectl-spy and its peers, and print docs/development/benchmarks.md's table.

python -m benchmarks.run                      all of it
python -m benchmarks.run --only flood --runs 9
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    control_plane,
    flood,
    in_process,
    recording,
    review,
    scale,
    startup,
    table,
)
from benchmarks.tools import Settings, kubectl, kubectl_spy, kubespy

GROUPS = {
    "startup": startup.rows,
    "flood": flood.rows,
    "in-process": in_process.rows,
    "scale": scale.rows,
    "recording": recording.rows,
    "review": review.rows,
    "control-plane": control_plane.rows,
}
PACKAGES = ("click", "kubernetes", "jsonpatch", "orjson")


def main() -> int:
    """Print the table; exit with 1 if a promised ratio was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=GROUPS, action="append", metavar="GROUP")
    parser.add_argument("--runs", type=int, default=5, help="5 unless told")
    parser.add_argument("--events", type=int, default=20_000, help="20,000 unless told")
    parser.add_argument("--plot", type=Path, help="where scale writes its curves")
    parser.add_argument(
        "--archive", type=Path, help="the program of an unpacked krew archive"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-bench-") as directory:
        settings = Settings(
            arguments.runs,
            arguments.events,
            Path(directory),
            arguments.plot,
            arguments.archive,
        )
        rows: list[table.Row] = []
        for name in arguments.only or GROUPS:
            print(f"measuring {name} …", file=sys.stderr)
            rows += GROUPS[name](settings)
    print(f"{surroundings()} Medians of {settings.runs} or more interleaved runs.\n")
    print(table.markdown(rows))
    for failure in table.failures(rows):
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if any(row.missed for row in rows) else 0


def surroundings() -> str:
    """Return where and with what this was measured, as a sentence."""
    versions = [
        f"Python {platform.python_version()}",
        *(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES),
        f"kubectl-spy {version(kubectl_spy('--version'))}",
        f"kubespy {version(kubespy('version'))}",
        f"kubectl {version(kubectl('version', '--client'))}",
    ]
    day = datetime.date.today().isoformat()
    return f"Measured {day} on {os.cpu_count()} × {processor()}; {', '.join(versions)}."


def version(argv: list[str] | None) -> str:
    """Return the last word of the first line that *argv* prints."""
    if argv is None:
        return "not found"
    output = subprocess.run(argv, capture_output=True, text=True).stdout.split("\n")[0]
    return output.split()[-1] if output.split() else "of unknown version"


def processor() -> str:
    """Return the processor's name, where /proc tells it."""
    path = Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    sys.exit(main())
