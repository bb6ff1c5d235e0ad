"""Compare what `trace` says of single objects with the health that experts expect.

    python -m tools.health FILE [--list EXPECTED=VERDICT]

FILE has a JSON object on each line, and may be packed with gzip: `health` is Healthy,
Degraded, Progressing or another word, and `object` a whole object. The object is judged
alone, when it has been there for an hour, by the entries that are shipped. VERDICT is
one of failing, waiting, warning, unjudged, unknown and ok.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import JSON, GroupVersionKind, Resource, Selection
from kubectl_spy.core.readiness.polarity import Polarities, is_bad
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.knowledge.kinds import known
from kubectl_spy.render.inert import inert
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.tracing.parts import Parts

_NOW = 4_000_000_000.0  # after all that was written down
_HOUR = 3600.0
_REASONS = ("message", "reason", "phaseReason", "failureMessage", "lastError")
_COMPARED = 30  # characters at the beginning of a reason
_SHORT = 12  # characters of a reason that says something
_FINE = "✓"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tools.health")
    options.add_argument("file", type=Path)
    options.add_argument("--list", metavar="EXPECTED=VERDICT", default="")
    wanted = options.parse_args()
    matrix: Counter[tuple[str, str]] = Counter()
    reasons: Counter[str] = Counter()
    for expected, obj in _objects(wanted.file):
        verdict, lines = judged(obj)
        matrix[expected, verdict] += 1
        if wanted.list == f"{expected}={verdict}":
            print(*lines, sep="\n")
        if expected == "Degraded" and (found := _reasons(obj, _polarities(obj))):
            reasons["with a reason"] += 1
            saying = [each for each in lines if any(it in each for it in found)]
            reasons["printed"] += bool(saying)
            fine = [each for each in saying if _FINE in each]
            reasons["on a line with ✓"] += bool(fine)
            if wanted.list == _FINE:
                print(*fine, sep="\n")
    verdicts = sorted({verdict for _, verdict in matrix})
    print(f"{'expected':14}", *(f"{each:>9}" for each in verdicts))
    for expected in sorted({each for each, _ in matrix}):
        counts = (matrix[expected, each] for each in verdicts)
        print(f"{expected:14}", *(f"{each:9}" for each in counts))
    print("Degraded:", ", ".join(f"{count} {what}" for what, count in reasons.items()))


def _objects(file: Path) -> Iterator[tuple[str, dict[str, JSON]]]:
    data = file.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    for line in data.decode().splitlines():
        case = json.loads(line)
        yield case["health"], case["object"]


def judged(obj: dict[str, JSON]) -> tuple[str, list[str]]:
    """Return the verdict on *obj*, and the lines that a trace of it has."""
    group, _, version = obj["apiVersion"].rpartition("/")
    gvk = GroupVersionKind(group, version, obj["kind"])
    selection = Selection(Resource(gvk, "things", "thing", namespaced=True))
    inventory = Inventory()
    inventory.observe(
        ChangeRecord(
            0,
            _NOW,
            ChangeType.ADDED,
            selection,
            gvk,
            name=obj["metadata"].get("name", ""),
            uid="uid",
            initial=True,
            document=obj,
        )
    )
    (entry,) = inventory.every(group, gvk.kind)
    diagnose(entry, inventory)
    while inventory.pass_time(_NOW + _HOUR):
        pass
    found = diagnose(entry, inventory)
    parts = Parts(PLAIN, namespace=None)
    node = Node(
        entry.uid,
        gvk,
        entry.namespace,
        entry.name,
        found.phase,
        found.verdict,
        found.summary,
    )
    lines = [f"{parts.mark_of(node)} {gvk.printed}  {found.phase}  {found.summary}"]
    lines += [f"  {parts.finding(each, _NOW)}" for each in found.findings]
    return found.verdict.value, [inert(each) for each in lines]


def _polarities(obj: dict[str, JSON]) -> Polarities:
    return known(obj["apiVersion"].rpartition("/")[0], obj["kind"]).conditions


def _reasons(value: JSON, polarities: Polarities, *, within: bool = False) -> list[str]:
    """Return the beginnings of all texts in the status of an object."""
    if isinstance(value, list):
        return [
            it for each in value for it in _reasons(each, polarities, within=within)
        ]
    if not isinstance(value, dict):
        return []
    if not within:
        return _reasons(value.get("status"), polarities, within=True)
    kind, status = str(value.get("type")), str(value.get("status"))
    if is_bad(kind, status, known=polarities) is False:
        return []  # a condition that is as it should be gives no reason
    found: list[str] = []
    for name, each in value.items():
        if isinstance(each, str) and len(each) >= _SHORT and name in _REASONS:
            found.append(inert(" ".join(each.split()))[:_COMPARED])
        found += _reasons(each, polarities, within=True)
    return found


if __name__ == "__main__":
    main()
