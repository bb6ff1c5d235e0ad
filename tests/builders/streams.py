"""The recorded streams, and their lines."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.extras.serve.api_server import streams

bundled = functools.cache(streams.load_recording)
STREAMS = streams.STREAMS


def recorded_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a recorded stream."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def successive_versions() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every version in every recorded stream with the one before it."""
    for path in sorted(STREAMS.glob("*.ndjson.gz")):
        last: dict[str, dict[str, Any]] = {}
        for line in recorded_lines(path):
            if "list" in line:
                objects = line["list"]["items"]
            else:
                objects = [line["event"]["object"]]
            for obj in objects:
                uid = obj["metadata"].get("uid")
                if uid is None:  # a bookmark
                    continue
                if uid in last:
                    yield last[uid], obj
                last[uid] = obj
