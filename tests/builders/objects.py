"""Objects of any kind, and Events about them."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

CREATED = "2026-11-21T15:00:00Z"
"""When objects with a creationTimestamp were created."""

VERSIONS = {
    **dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet"), "apps/v1"),
    **dict.fromkeys(("DaemonSet", "ControllerRevision"), "apps/v1"),
    **dict.fromkeys(("Job", "CronJob"), "batch/v1"),
    **dict.fromkeys(("Ingress", "IngressClass"), "networking.k8s.io/v1"),
    "EndpointSlice": "discovery.k8s.io/v1",
    "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "StorageClass": "storage.k8s.io/v1",
    "ResourceClaim": "resource.k8s.io/v1",
    "Lease": "coordination.k8s.io/v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "CertificateSigningRequest": "certificates.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "APIService": "apiregistration.k8s.io/v1",
    "VolumeAttachment": "storage.k8s.io/v1",
    "Widget": "example.com/v1",
}
"""The apiVersion of kinds. Others are v1."""


def manifest(
    kind: str,
    name: str = "web",
    namespace: str | None = "shop",
    *,
    version: str = "",
    metadata: Object | None = None,
    **members: Any,
) -> Object:
    """Return an object as a user writes it, with *members* other than None."""
    place = {} if namespace is None else {"namespace": namespace}
    return {
        "apiVersion": version or VERSIONS.get(kind, "v1"),
        "kind": kind,
        "metadata": {"name": name, **place, **(metadata or {})},
        **{each: value for each, value in members.items() if value is not None},
    }


def obj(
    kind: str,
    name: str = "web",
    namespace: str | None = "shop",
    *,
    uid: str = "",
    owner: str = "",
    metadata: Object | None = None,
    **members: Any,
) -> Object:
    """Return an object as the API server holds it.

    Its uid is made from its name unless given. *owner* is the name of what has it.
    """
    held: Object = {"uid": uid or f"uid-{name}", "resourceVersion": "1"}
    if owner:
        held["ownerReferences"] = [{"uid": f"uid-{owner}", "kind": "X"}]
    return manifest(kind, name, namespace, metadata=held | (metadata or {}), **members)


def config_map(
    name: str = "web",
    namespace: str = "shop",
    *,
    labels: dict[str, str] | None = None,
    **data: str,
) -> Object:
    """Return a ConfigMap as a user writes it, with its name for a label."""
    metadata = {"labels": {"app": name} if labels is None else labels}
    return manifest("ConfigMap", name, namespace, metadata=metadata, data=data)


def node(
    name: str = "node-1",
    ready: str = "True",
    *,
    labels: dict[str, str] | None = None,
    **members: Any,
) -> Object:
    """Return a Node that is *ready*, if *members* have no other status."""
    status = {"conditions": [{"type": "Ready", "status": ready}]}
    members = {"status": status, **members}
    return obj("Node", name, None, metadata={"labels": labels or {}}, **members)


def conditions(**reported: str) -> list[dict[str, str]]:
    """Return conditions by type: `status reason message` each."""
    found = []
    for kind, each in reported.items():
        status, reason, message = (*each.split(" ", 2), "", "")[:3]
        condition = {"type": kind, "status": status, "lastTransitionTime": CREATED}
        found.append(condition | {"reason": reason, "message": message})
    return found


def reference(of: Object, **more: Any) -> Object:
    """Return what refers to an object in an ownerReference or an Event."""
    found = {each: of[each] for each in ("apiVersion", "kind")}
    held = of["metadata"]
    found |= {each: held[each] for each in ("name", "uid") if each in held}
    return found | more


def reported(
    reason: str,
    message: str = "",
    *,
    about: Object | str = "",
    field: str = "",
    kind: str = "",
    first: str = CREATED,
    last: str = "",
    number: int = 0,
    **members: Any,
) -> Object:
    """Return an Event about an object, one of that uid, or the Pod of `a_pod`.

    It is a Warning, unless it reports a success. *number* makes it another Event.
    """
    if isinstance(about, str):
        uid = about or "pod-uid"
        about = {"uid": uid, "name": uid} if about else {"kind": "Pod", "uid": uid}
    elif "metadata" in about:
        about = reference(about)
    name = f"{reason}/{about['uid']}/{field}/{message}/{first}/{number}"
    members = {
        "involvedObject": about | {"fieldPath": field},
        "type": kind or ("Normal" if reason.startswith("Successful") else "Warning"),
        "reason": reason,
        "message": message,
        "firstTimestamp": first,
        "lastTimestamp": last or first,
        "count": 1,
        **members,
    }
    return obj("Event", name, **members)
