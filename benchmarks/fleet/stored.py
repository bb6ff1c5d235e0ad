"""What Loki holds: bytes by the type of line, on disk, and what is lost."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Mapping
from datetime import datetime
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
    lines = sums(port, f"{by} (count_over_time({selected}))")
    sizes = sums(port, f"{by} (bytes_over_time({selected}))")
    gaps = _gaps(port, seconds)
    return {
        "lines": lines,
        "bytes of bodies": sizes,
        "gaps": len(gaps),
        "seconds of gaps": round(sum(gaps), 1),
        "bytes on disk": on_disk(port, root),
    }


def _gaps(port: int, seconds: float) -> list[float]:
    """Return how long each GAP of all Pods was."""
    query = '{service_name="kubectl-spy"} | kubectl_spy_type="GAP"'
    given = {"query": query, "since": f"{seconds:.0f}s", "limit": 5000}
    where = f"http://127.0.0.1:{port}/loki/api/v1/query_range?{urlencode(given)}"
    with urlopen(where, timeout=120) as answer:
        found = json.load(answer)["data"]["result"]
    held = [json.loads(body) for each in found for _, body, *_ in each["values"]]
    return [
        (_time(each["until"]) - _time(each["since"])).total_seconds()
        for each in held
        if "name" not in each
    ]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def on_disk(port: int, root: Path) -> int:
    """Return the bytes of Loki's chunks, once all are written."""
    _post(port, "/flush")
    size, before = 0, -1
    while size != before:
        time.sleep(10)
        files = (root / "chunks").rglob("*")
        before = size
        size = sum(each.stat().st_size for each in files if each.is_file())
    return size


def sums(port: int, query: str) -> dict[str, int]:
    """Return the numbers that *query* gives, by the type of line."""
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
    """Return how many lines `ls --verify` misses, and what it says."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    began = time.monotonic()
    ended = subprocess.run(
        spy("ls", "--verify", source, "--since", at),
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
