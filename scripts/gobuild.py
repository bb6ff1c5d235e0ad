"""Build Go programs from pinned sources, once, into the user's cache.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

MODULES = Path(__file__).resolve().parent.parent / "tests" / "e2e"


def build(
    name: str, module: str, packages: Mapping[str, str], flags: Callable[[str], str]
) -> Path | None:
    """Return where *packages*, by the binary's name, are; None if they cannot be built.

    The go.mod of tests/e2e/*name* pins them; the version is that of its *module*.
    *flags* returns the linker's for a binary. Why it failed stands on stderr.
    """
    pins = (MODULES / name / "go.mod").read_text()
    target = cache_home() / "kubectl-spy" / name / pinned(pins, module)
    if is_built(target, pins, packages):
        return target
    go = find_go()
    if go is None:
        print("error: no Go toolchain; install Go", file=sys.stderr)
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as staging:
        for binary, package in packages.items():
            started = time.monotonic()
            print(f"building {binary} …", end=" ", file=sys.stderr, flush=True)
            path = Path(staging) / binary
            command = [go, "build", "-trimpath", "-ldflags", flags(binary), "-o"]
            if subprocess.run([*command, path, package], cwd=MODULES / name).returncode:
                return None
            print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
        target.mkdir(exist_ok=True)
        (target / "go.mod").unlink(missing_ok=True)
        for binary in packages:
            (Path(staging) / binary).replace(target / binary)
        # Written last: without it the directory counts as not built.
        (target / "go.mod").write_text(pins)
    return target


def pinned(pins: str, module: str) -> str:
    """Return the version at which a go.mod requires *module*."""
    match = re.search(rf"^(?:require)?\s*{re.escape(module)} (v\S+)", pins, re.M)
    if match is None:
        raise SystemExit(f"error: no go.mod requires {module}")
    return match[1]


def cache_home() -> Path:
    """Return the user's cache directory as XDG defines it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def is_built(target: Path, pins: str, packages: Mapping[str, str]) -> bool:
    """Tell whether *target* holds every binary, built from these very pins."""
    stamp = target / "go.mod"
    return (
        stamp.is_file()
        and stamp.read_text() == pins
        and all(os.access(target / name, os.X_OK) for name in packages)
    )


def find_go() -> str | None:
    """Return the Go command: PATH first, then where Go's own installer puts it."""
    return shutil.which("go") or shutil.which("/usr/local/go/bin/go")
