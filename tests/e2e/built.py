"""Finds programs that scripts build from the modules that a go.mod pins."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path


def find_built(name: str, module: str, program: str) -> str | None:
    """Return the executable that KUBECTL_SPY_NAME names or scripts/NAME has built.

    The go.mod of tests/e2e/NAME has its version: that of *module*.
    """
    pins = (Path(__file__).parent / name / "go.mod").read_text()
    pinned = re.search(rf"{re.escape(module)} (v\S+)", pins)
    assert pinned is not None, f"go.mod pins no {name}"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    built = Path(cache) / "kubectl-spy" / name / pinned[1] / program
    return shutil.which(os.environ.get(f"KUBECTL_SPY_{name.upper()}") or str(built))


def loki_config(http: int, grpc: int, directory: Path, limits: str = "") -> str:
    """Return the configuration of a Loki in one process, with more *limits*."""
    text = (Path(__file__).parent / "loki" / "config.yaml").read_text()
    filled = {"HTTP": http, "GRPC": grpc, "DIRECTORY": directory, "LIMITS": limits}
    for name, value in filled.items():
        text = text.replace(name, str(value))
    return text
