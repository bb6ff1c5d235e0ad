"""A cluster for tests of summaries: what is written there, second by second."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed, as_record
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.times import rfc3339
from tests.builders import conditions, workload
from tests.tracing import START, selection_of

Document = dict[str, Any]
IMAGE = "app:1"
PULL = "ErrImagePull", 'Failed to pull image "app:2": not found'
ABSENT = "CreateContainerConfigError", 'configmap "settings" not found'
ENV: dict[str, Any] = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
_KINDS = {
    "apps/v1": ("Deployment", "ReplicaSet", "StatefulSet"),
    "v1": (
        *("Pod", "ConfigMap", "Secret", "Service", "LimitRange", "ResourceQuota"),
        "Event",
    ),
    "discovery.k8s.io/v1": ("EndpointSlice",),
    "example.com/v1": ("Widget",),
}


class Cluster:
    """Objects of namespace shop, and the events of their watches."""

    def __init__(self, *lacking: str) -> None:
        self.selections = {
            kind: selection_of(version, kind)
            for version, kinds in _KINDS.items()
            for kind in kinds
            if kind not in lacking
        }
        self.objects: dict[str, Document] = {}
        self.events: list[WatchEvent] = []
        self.now = START
        self._version = 0

    def write(
        self, *objects: Document, by: str = "kubectl-edit", after: float = 0
    ) -> None:
        """Create or replace objects *after* some seconds."""
        self.now += after
        for each in objects:
            self._write(each, by)

    def _write(self, obj: Document, by: str) -> None:
        uid = obj["metadata"]["uid"]
        self._version += 1
        fields: Document = {"f:spec": {}, "f:data": {}, "f:metadata": {}}
        time = f"2026-11-21T15:{self._version // 60:02d}:{self._version % 60:02d}Z"
        entry = {"manager": by, "operation": "Update", "time": time, "fieldsV1": fields}
        others = [
            each
            for each in self.objects.get(uid, obj)["metadata"].get("managedFields", ())
            if each["manager"] != by
        ]
        new = deepcopy(obj)
        metadata = new["metadata"]
        metadata |= {"managedFields": [*others, entry]}
        metadata["resourceVersion"] = str(self._version)
        kind = "MODIFIED" if uid in self.objects else "ADDED"
        self.objects[uid] = new
        self._tell(kind, new)

    def delete(self, uid: str, *, after: float = 0) -> None:
        """Delete an object *after* some seconds."""
        self.now += after
        self._tell("DELETED", self.objects.pop(uid))

    def report(self, about: Document, reason: str, message: str, count: int) -> None:
        """Write an Event about an object now."""
        metadata = about["metadata"]
        subject = {"kind": about["kind"], "namespace": "shop", "apiVersion": "v1"}
        subject |= {"name": metadata["name"], "uid": metadata["uid"]}
        path = "spec.containers{app}"
        event = workload("Event", f"{metadata['name']}.{reason}") | {
            "involvedObject": subject | {"fieldPath": path},
            "type": "Warning",
            "reason": reason,
            "message": message,
            "count": count,
            "firstTimestamp": "2026-11-21T15:00:02Z",
            "lastTimestamp": "2026-11-21T15:02:02Z",
        }
        self.write(event, by="kubelet")

    def _tell(self, kind: str, obj: Document) -> None:
        selection = self.selections[obj["kind"]]
        self.events.append(WatchEvent(EventType[kind], selection, self.now, obj))

    def left(self, obj: Document, patch: PatchOperation) -> None:
        """Have something tell now that *obj* was written so, and show it as it is."""
        selection, uid = self.selections[obj["kind"]], obj["metadata"]["uid"]
        about = selection, "shop", obj["metadata"]["name"], uid, self.now, self.now
        told = EarlierWrite(*about, "ReplicaSet", "web-2", ("edit",), (patch,))
        of = EventType.PAST, selection, self.now
        self.events.append(WatchEvent(*of, past=told))
        self.now += 2
        self.objects[uid] = obj
        shown = EventType.LISTED, selection, self.now, obj
        self.events.append(WatchEvent(*shown, first=True))

    def first(self, obj: Document) -> None:
        """Show an object that was made now, and of which the server knows no more."""
        obj["metadata"]["creationTimestamp"] = f"{rfc3339(self.now)[:19]}Z"
        self.objects[obj["metadata"]["uid"]] = obj
        shown = EventType.LISTED, self.selections[obj["kind"]], self.now, obj
        self.events.append(WatchEvent(*shown, first=True))

    def listed(self) -> None:
        """Have the watches begin: all objects up to now are in the first lists."""
        self.events = [
            WatchEvent(EventType[kind], selection, self.now, each)
            for selection in self.selections.values()
            for kind, objects in (
                ("LISTING", [None]),
                ("LISTED", list(self.objects.values())),
                ("SYNCED", [None]),
            )
            for each in objects
            if each is None or each["kind"] == selection.resource.gvk.kind
        ]

    def summary(self) -> Summary:
        """Return the summary of all events up to now."""
        scope = Scope((), tuple(self.selections.values()))
        summary, history = Summary(scope, lambda record: True), History()
        for event in self.events:
            if event.type is EventType.PAST:
                summary.observe(event.past, as_record(event.past))
                continue
            for record in history.observe(event):
                summary.observe(record, record)
            if event.type is EventType.SYNCED:
                listed = Listed(event.selection, 0, event.time)
                summary.observe(listed, None)
        summary.pass_time(self.now)
        return summary

    def failures(self) -> list[Failure]:
        """Return what failed up to now."""
        return self.summary().failures()


def deployment(image: str = IMAGE, replicas: int = 1, **container: Any) -> Document:
    """Return `deployment/web`; its Pods are available if they have IMAGE."""
    names = ["replicas", "updatedReplicas"]
    names += ["readyReplicas", "availableReplicas"] if image == IMAGE else []
    counts: dict[str, Any] = dict.fromkeys(names, replicas)
    return workload(
        "Deployment",
        spec={"replicas": replicas, "template": _template(image, **container)},
        **counts,
        conditions=conditions(
            Available="True", Progressing="True NewReplicaSetAvailable"
        ),
    )


def replica_set(image: str = IMAGE, **container: Any) -> Document:
    return workload(
        "ReplicaSet",
        f"web-{image}",
        owner="web",
        spec={"replicas": 1, "template": _template(image, **container)},
        replicas=1,
    )


def pod(
    image: str = IMAGE, state: str = "", message: str = "", **spec: Any
) -> Document:
    """Return a Pod of the ReplicaSet of *image*: ready, or waiting for a reason."""
    status = "False" if state else "True"
    waiting = {"waiting": {"reason": state, "message": message}}
    its = waiting if state else {"running": {"startedAt": "2026-11-21T15:00:01Z"}}
    made = _template(image, **spec)
    return workload(
        "Pod",
        f"web-{image}-x",
        owner=f"web-{image}",
        metadata={"labels": {"app": "web"}},
        spec=made["spec"] | {"nodeName": "n1"},
        phase="Pending" if state else "Running",
        conditions=[{"type": "Ready", "status": status}],
        containerStatuses=[
            {"name": "app", "image": image, "ready": not state, "restartCount": 0}
            | {"state": its}
        ],
    )


def config(kind: str = "ConfigMap", name: str = "settings", **data: str) -> Document:
    return workload(kind, name) | {"data": data}


def _template(image: str, **container: Any) -> Document:
    containers = [{"name": "app", "image": image, **container}]
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}


def well(**container: Any) -> Cluster:
    """Return a cluster with a Deployment that works, and what it needs."""
    cluster = Cluster()
    cluster.write(config(a="1"), by="kubectl-create")
    cluster.write(deployment(**container), by="kubectl-create")
    cluster.write(replica_set(**container), by="kube-controller-manager")
    cluster.write(pod(**container), by="kubelet")
    cluster.listed()
    return cluster
