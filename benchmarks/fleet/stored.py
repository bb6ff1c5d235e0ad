"""What Loki holds: bytes by the type of line, on disk, and what is lost."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from benchmarks.fleet.services import spy
from benchmarks.tools import REPOSITORY

_MISSING = re.compile(r"([\d,]+) lines? missing before it")


def stored(port: int, root: Path, seconds: float) -> dict[str, Any]:
    """Return the bytes of the bodies by type, and of Loki's chunks and index."""
    selected = f'{{service_name="kubectl-spy"}} [{seconds:.0f}s]'
    by = "sum by (kubectl_spy_type)"
    lines = _sums(port, f"{by} (count_over_time({selected}))")
    sizes = _sums(port, f"{by} (bytes_over_time({selected}))")
    _post(port, "/flush")
    size, before = 0, -1
    while size != before:
        time.sleep(10)
        before, size = size, _disk(root)
    return {
        "lines": lines,
        "bytes of bodies": sizes,
        "bytes on disk": size,
        "of these index": _disk(root, "tsdb-shipper-*") + _disk(root, "index*"),
    }


def _disk(root: Path, below: str = "chunks") -> int:
    """Return the bytes of all files below the directory."""
    return sum(
        each.stat().st_size
        for start in root.glob(below)
        for each in start.rglob("*")
        if each.is_file()
    )


def _sums(port: int, query: str) -> dict[str, int]:
    where = f"http://127.0.0.1:{port}/loki/api/v1/query?{urlencode({'query': query})}"
    with urlopen(where, timeout=120) as answer:
        found = json.load(answer)["data"]["result"]
    return {
        each["metric"].get("kubectl_spy_type", "other"): int(float(each["value"][1]))
        for each in found
    }


def _post(port: int, path: str) -> None:
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", b"", method="POST")):
        pass


def verified(source: str, env: Mapping[str, str], since: float) -> dict[str, Any]:
    """Return how many lines `verify` misses, and what it says."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    began = time.monotonic()
    ended = subprocess.run(
        spy("verify", source, "--from-time", at),
        capture_output=True,
        text=True,
        env=dict(env),
        cwd=REPOSITORY,
    )
    lost = [int(each.replace(",", "")) for each in _MISSING.findall(ended.stderr)]
    said = (ended.stdout + ended.stderr).strip().splitlines()
    return {
        "exit code": ended.returncode,
        "seconds": round(time.monotonic() - began, 1),
        "lines missing": sum(lost),
        "places": len(lost),
        "said": said[-3:],
    }
