"""What one event costs once it is parsed, and how good and quick the patches are.

The only file that calls kubectl-spy's own functions; `ours()` and `one_event()` say
which.
"""

from __future__ import annotations

import gzip
import importlib
import json
import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonpatch
import orjson

from benchmarks import objects
from benchmarks.measure import Failed, interleaved
from benchmarks.table import Measured, Row, kilobytes
from benchmarks.tools import REPOSITORY, Settings

DIFF_PAIRS = REPOSITORY / "tests" / "diff_pairs"
STREAMS = REPOSITORY / "kubectl_spy" / "demo" / "streams"
EVENTS = 3_000

Pair = tuple[Any, Any]
Operations = Callable[[Any, Any], list[Any]]
PatchBetween = Callable[[Any, Any], jsonpatch.JsonPatch]


def ours() -> tuple[Operations, PatchBetween] | None:
    """Return operations_between and patch_between, or None while there is neither."""
    try:
        module = importlib.import_module("kubectl_spy.core.patch")
    except ModuleNotFoundError:
        return None
    return module.operations_between, module.patch_between


def one_event(operations: Operations) -> Callable[[Any, Any], object]:
    """Return what happens to one event after parsing: diff, then text."""

    def diff_and_render(before: Any, after: Any) -> str:
        return "\n".join(map(str, operations(before, after)))

    return diff_and_render


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows that need no process of their own."""
    functions = ours()
    yield event_row(settings, functions[0] if functions else None)
    yield from patch_rows(settings, functions)


def event_row(settings: Settings, operations: Operations | None) -> Row:
    """Compare diffing and rendering an event with parsing it."""
    lines = [line for _, line in objects.churn(1, EVENTS)]
    pods = [orjson.loads(line)["object"] for line in lines]

    def parse() -> float:
        started = time.perf_counter()
        for line in lines:
            orjson.loads(line)
        return (time.perf_counter() - started) / len(lines)

    candidates = {"orjson": parse}
    if operations is not None:
        render = one_event(operations)

        def diff_and_render() -> float:
            started = time.perf_counter()
            for before, after in pairwise(pods):
                render(before, after)
            return (time.perf_counter() - started) / (len(pods) - 1)

        candidates["ours"] = diff_and_render
    medians = interleaved(candidates, settings.runs)
    what = "one event after parsing: diff and render"
    peer = "`orjson.loads` of it"
    return Row(what, medians.get("ours"), peer, medians["orjson"], 5)


def patch_rows(
    settings: Settings, functions: tuple[Operations, PatchBetween] | None
) -> Iterator[Row]:
    """Compare patches with those of `jsonpatch.make_patch`: time, size, correctness."""
    corpora = {"diff-pairs": diff_pairs(DIFF_PAIRS), "streams": successive(STREAMS)}
    peer = "`jsonpatch.make_patch`"
    ours_bytes, their_bytes, wrong = 0, 0, 0
    for name, pairs in corpora.items():
        if not pairs:
            yield Row(f"patches of {name}", None, peer, None, 0.1)
            continue
        candidates = {"theirs": timed(jsonpatch.make_patch, pairs)}
        if functions is not None:
            candidates["ours"] = timed(functions[0], pairs)
        medians = interleaved(candidates, settings.runs)
        what = f"patches of {len(pairs)} {name}"
        yield Row(what, medians.get("ours"), peer, medians["theirs"], 0.1)
        for before, after in pairs:
            their_bytes += size(jsonpatch.make_patch(before, after).patch)
            if functions is not None:
                patch = functions[1](before, after)
                ours_bytes += size(patch.patch)
                wrong += not same(patch.apply(before), after)
    total: Measured = float(ours_bytes) if functions else None
    if wrong:
        total = Failed(f"{wrong} patches do not lead to the second document")
    what = "size of all these patches, each applied back"
    yield Row(what, total, peer, float(their_bytes), 1.0, kilobytes)


def timed(
    between: Callable[[Any, Any], object], pairs: list[Pair]
) -> Callable[[], float]:
    """Return what times *between* over *pairs*: the geometric mean of one patch.

    A mean over times would be that of the largest object.
    """

    def run() -> float:
        logarithms = 0.0
        for before, after in pairs:
            started = time.perf_counter()
            between(before, after)
            logarithms += math.log(time.perf_counter() - started)
        return math.exp(logarithms / len(pairs))

    return run


def diff_pairs(directory: Path) -> list[Pair]:
    """Return the hand-made pairs, in the order of their names."""
    documents = (
        json.loads(gzip.decompress(path.read_bytes()))
        for path in sorted(directory.glob("*.json.gz"))
    )
    return [(document["src"], document["dst"]) for document in documents]


def successive(directory: Path) -> list[Pair]:
    """Return successive versions of every object in the recorded streams."""
    pairs: list[Pair] = []
    for path in sorted(directory.glob("*.ndjson.gz")):
        last: dict[str, Any] = {}
        for line in gzip.decompress(path.read_bytes()).splitlines():
            event = json.loads(line).get("event")
            if event is None or event["type"] not in ("ADDED", "MODIFIED"):
                continue
            uid = event["object"]["metadata"]["uid"]
            if uid in last:
                pairs.append((last[uid], event["object"]))
            last[uid] = event["object"]
    return pairs


def size(operations: object) -> int:
    """Return the bytes of a patch as compact JSON."""
    return len(orjson.dumps(operations))


def same(left: object, right: object) -> bool:
    """Compare as JSON does: true is not 1, and 1 is not 1.0."""
    option = orjson.OPT_SORT_KEYS
    return orjson.dumps(left, option=option) == orjson.dumps(right, option=option)
