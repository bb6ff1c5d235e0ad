"""What one event costs once it is parsed, and how good and quick the patches are.

The only file that calls kubectl-spy's own functions.
"""

from __future__ import annotations

import gc
import gzip
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import orjson

from benchmarks import objects
from benchmarks.measure import Failed, interleaved
from benchmarks.table import Measured, Row, kilobytes
from benchmarks.tools import REPOSITORY, Settings
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.text import TextRenderer

DIFF_PAIRS = REPOSITORY / "tests" / "diff_pairs"
STREAMS = REPOSITORY / "tests" / "streams"
EVENTS = 3_000

Pair = tuple[Any, Any]


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows that need no process of their own."""
    yield event_row(settings)
    yield from patch_rows(settings)


def event_row(settings: Settings) -> Row:
    """Compare what happens to an event after parsing, to its text, with parsing it."""
    lines = [line for _, line in objects.churn(1, EVENTS)]

    def parse() -> float:
        started = time.perf_counter()
        for line in lines:
            orjson.loads(line)
        return (time.perf_counter() - started) / len(lines)

    def diff_and_render() -> float:
        show, seconds = showing(), 0.0
        # One is parsed when it is its turn, as the pipeline does under load: what was
        # parsed long before has left the processor's cache.
        for moment, line in enumerate(lines):
            pod = orjson.loads(line)["object"]
            started = time.perf_counter()
            show(float(moment), pod)
            seconds += time.perf_counter() - started
        return seconds / len(lines)

    gc.collect()
    gc.freeze()  # as the pipeline does
    gc.set_threshold(100_000, 20, 100)
    medians = interleaved({"orjson": parse, "ours": diff_and_render}, settings.runs)
    what = "one event after parsing: diff and render"
    peer = "`orjson.loads` of it"
    return Row(what, medians.get("ours"), peer, medians["orjson"], 3)


def showing() -> Callable[[float, dict[str, Any]], None]:
    """Return what diffs and renders a version of a Pod, at a time."""
    gvk = GroupVersionKind("", "v1", "Pod")
    resource = Resource(gvk=gvk, plural="pods", singular="pod", namespaced=True)
    selection = Selection(resource=resource, name="pod")
    history, projection = History(), Projection(Excerpt(status=True))
    renderer = TextRenderer(PLAIN, zone=None, whole=True)

    def show(moment: float, pod: dict[str, Any]) -> None:
        event = WatchEvent(EventType.MODIFIED, selection, moment, pod)
        for record in history.observe(event):
            if (shown := projection.narrowed(record)) is not None:
                renderer.render_record(shown)

    return show


def comparing(elements: int) -> Callable[[], object]:
    """Return what compares a list of *elements* without keys, which all changed."""
    before = [{"path": f"/{n % 50}", "weight": n} for n in range(elements)]
    after = [{**each, "weight": -1 - n} for n, each in enumerate(before)]
    return lambda: operations_between({"list": before}, {"list": after})


def patch_rows(settings: Settings) -> Iterator[Row]:
    """Compare patches with those of `jsonpatch.make_patch`: time, size, correctness."""
    corpora = {"diff-pairs": diff_pairs(DIFF_PAIRS), "streams": successive(STREAMS)}
    peer = "`jsonpatch.make_patch`"
    ours_bytes, their_bytes, wrong = 0, 0, 0
    for name, pairs in corpora.items():
        if not pairs:
            yield Row(f"patches of {name}", None, peer, None, 0.1)
            continue
        candidates = {
            "theirs": timed(jsonpatch.make_patch, pairs),
            "ours": timed(operations_between, pairs),
        }
        medians = interleaved(candidates, settings.runs)
        what = f"patches of {len(pairs)} {name}"
        yield Row(what, medians.get("ours"), peer, medians["theirs"], 0.1)
        for before, after in pairs:
            their_bytes += size(jsonpatch.make_patch(before, after).patch)
            steps = operations_between(before, after)
            patch = jsonpatch.JsonPatch([step.as_json() for step in steps])
            ours_bytes += size(patch.patch)
            wrong += not same(patch.apply(before), after)
    total: Measured = float(ours_bytes)
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
