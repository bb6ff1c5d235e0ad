"""Objects, selections and watch events for tests, in as few words as possible."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)

STREAMS = Path(__file__).parents[1] / "kubectl_spy" / "demo" / "streams"

PODS = Resource(
    gvk=GroupVersionKind("", "v1", "Pod"),
    plural="pods",
    singular="pod",
    namespaced=True,
    short_names=("po",),
)
DEPLOYMENTS = Resource(
    gvk=GroupVersionKind("apps", "v1", "Deployment"),
    plural="deployments",
    singular="deployment",
    namespaced=True,
    short_names=("deploy",),
)
ALL_PODS = Selection(resource=PODS, namespace="shop")
SOME_PODS = Selection(resource=PODS, namespace="shop", label_selector="app=web")


def pod(
    name: str = "web",
    *,
    rv: str = "1",
    uid: str | None = None,
    phase: str | None = "Pending",
    **metadata: Any,
) -> dict[str, Any]:
    """Return a small Pod; its uid is made from its name unless given."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": uid or f"uid-{name}",
            "resourceVersion": rv,
            **metadata,
        },
        "spec": {"nodeName": "node1"},
        "status": {} if phase is None else {"phase": phase},
    }


def event(
    kind: str,
    obj: dict[str, Any] | None = None,
    *,
    time: float = 0.0,
    selection: Selection = ALL_PODS,
    **more: Any,
) -> WatchEvent:
    """Return a watch event of a type given by name."""
    return WatchEvent(EventType[kind], selection, time, obj, **more)


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
