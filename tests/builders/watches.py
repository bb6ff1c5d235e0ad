"""Types, selections, and what a watch brings."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.objects import (
    EventType,
    GroupVersionKind,
    Resource,
    Selection,
    WatchEvent,
)


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
