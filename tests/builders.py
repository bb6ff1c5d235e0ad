"""Objects, selections and watch events for tests, in as few words as possible."""

from __future__ import annotations

import functools
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
from kubectl_spy.extras.serve.demo.recordings import load_recording

bundled = functools.cache(load_recording)
SERVE = Path(__file__).parents[1] / "kubectl_spy" / "extras" / "serve"
STREAMS = SERVE / "demo" / "streams"


def resource(kind: str, group: str = "", version: str = "v1", **more: Any) -> Resource:
    """Return a namespaced type with the usual names, but for *more*."""
    singular = kind.lower()
    gvk = GroupVersionKind(group, version, kind)
    usual = Resource(gvk=gvk, plural=f"{singular}s", singular=singular, namespaced=True)
    return usual._replace(**more)


PODS = resource("Pod", short_names=("po",))
DEPLOYMENTS = resource("Deployment", "apps", short_names=("deploy",))
CONFIG_MAPS, SECRETS = resource("ConfigMap"), resource("Secret")
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


def entry(
    manager: str, fields: Any = None, *, time: str = "2026-01-01T00:00:00Z"
) -> Any:
    """Return an entry of managedFields, with *fields* as FieldsV1."""
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields or {},
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
