"""Kubelets: they keep Nodes alive, run Pods, and report on both as kubelets do.

One container of a Pod acts, the others are well. Its life is a thread, which goes
through the stages of
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kuberuntime
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tools.incidents.admission import rejection
from tools.incidents.client import Client, Record, Refused
from tools.incidents.logs import Logs
from tools.incidents.pod_life import PodLife
from tools.incidents.pod_status import now
from tools.incidents.programs import Program, decoded

LEASE_SECONDS = 4.0
_CONDITIONS = (
    (
        "MemoryPressure",
        "False",
        "HasSufficientMemory",
        "has sufficient memory available",
    ),
    ("DiskPressure", "False", "HasNoDiskPressure", "has no disk pressure"),
    ("PIDPressure", "False", "HasSufficientPID", "has sufficient PID available"),
    ("Ready", "True", "Ready", "is posting ready status"),
)
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


class Kubelets:
    """The kubelets of all nodes.

    *programs* are what runs in the Pods, by namespace and label `app`.
    """

    def __init__(self, client: Client, logs: Logs) -> None:
        self.client = client
        self.logs = logs
        self.programs: dict[tuple[str, str], Program] = {}
        self._pods: dict[str, Record] = {}
        self._nodes: dict[str, int] = {}  # how many addresses each has given out
        self._alive: set[str] = set()
        self._closed = threading.Event()
        for work in (self._watch, self._heartbeat):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self.logs.close()

    def add_node(self, name: str, **spec: Any) -> None:
        """Register a Node and keep it alive."""
        size = spec.pop("capacity", {})
        capacity = {"cpu": "8", "memory": "32Gi", "pods": "110", **size}
        labels = {
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            **spec.pop("labels", {}),
        }
        metadata = {"name": name, "labels": labels}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}
        self.client.send("POST", "/api/v1/nodes", body, manager="kubelet")
        status = {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [_condition(*each) for each in _CONDITIONS],
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self.logs.port}},
            "nodeInfo": {"kubeletVersion": "v1.36.2", "architecture": "amd64"},
        }
        self._patch_status(f"/api/v1/nodes/{name}", status)
        self._nodes.setdefault(name, 0)
        self._alive.add(name)

    def stop_node(self, name: str) -> None:
        """Let a node fall silent; its Pods go on as they are."""
        self._alive.discard(name)

    def start_nodes(self) -> None:
        """Let all nodes speak again."""
        self._alive.update(self._nodes)

    def forget_node(self, name: str) -> None:
        """Stop the kubelet of a node for good."""
        self.stop_node(name)
        del self._nodes[name]

    def program(self, namespace: str, app: str) -> Program:
        return self.programs.get((namespace, app), Program())

    def is_alive(self, pod: Record) -> bool:
        return pod["spec"].get("nodeName") in self._alive

    def pod(self, uid: str) -> Record | None:
        """Return the Pod as last seen, or None when it is gone."""
        return None if self._closed.is_set() else self._pods.get(uid)

    def new_address(self, node: str) -> str:
        """Return an address for a Pod on *node*."""
        self._nodes[node] += 1
        number = list(self._nodes).index(node)
        return f"10.{number}.{self._nodes[node] // 250}.{self._nodes[node] % 250 + 2}"

    def count_beside(self, pod: Record) -> int:
        """Return how many Pods share the load of *pod*, itself among them."""
        labels = pod["metadata"].get("labels", {})
        return sum(
            each["metadata"]["namespace"] == pod["metadata"]["namespace"]
            and each["metadata"].get("labels", {}).get("app") == labels.get("app")
            and not each["metadata"].get("deletionTimestamp")
            for each in list(self._pods.values())
        )

    def read(self, namespace: str, kind: str, name: str) -> Record | None:
        """Return the data of a ConfigMap or Secret."""
        plural = {"configMap": "configmaps", "secret": "secrets"}[kind]
        path = f"/api/v1/namespaces/{namespace}/{plural}/{name}"
        try:
            return decoded(kind, self.client.send("GET", path))
        except Refused:
            return None

    def report(
        self,
        pod: Record,
        kind: str,
        reason: str,
        message: str,
        path: str = "",
    ) -> None:
        """Write an Event about a Pod, or count one more of it."""
        metadata = pod["metadata"]
        events = f"/api/v1/namespaces/{metadata['namespace']}/events"
        about = reason in ("FailedMount", "Evicted", "NodeNotReady")
        key = f"{metadata['name']}.{abs(hash((metadata['uid'], reason, message))):016x}"
        reference = {
            "apiVersion": "v1",
            "kind": "Pod",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            **({} if about or not path else {"fieldPath": path}),
        }
        with suppress(Refused):
            try:
                old = self.client.send("GET", f"{events}/{key}")
            except Refused:
                body = {
                    "metadata": {"name": key, "namespace": metadata["namespace"]},
                    "involvedObject": reference,
                    "type": kind,
                    "reason": reason,
                    "message": message,
                    "count": 1,
                    "firstTimestamp": now(),
                    "lastTimestamp": now(),
                    "source": {"component": "kubelet", "host": pod["spec"]["nodeName"]},
                    "reportingComponent": "kubelet",
                    "reportingInstance": pod["spec"]["nodeName"],
                }
                self.client.send("POST", events, body, manager="kubelet")
                return
            change = {"count": old["count"] + 1, "lastTimestamp": now()}
            path = f"{events}/{key}"
            self.client.send("PATCH", path, change, manager="kubelet")

    def set_status(self, pod: Record, status: Mapping[str, Any]) -> None:
        """Patch a Pod's status; it may be gone."""
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        body = {"observedGeneration": metadata.get("generation", 1), **status}
        self._patch_status(path, body, metadata["uid"])

    def evict(self, pod: Record) -> None:
        """End a Pod because its node lacks memory.

        https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
        """
        message = (
            "The node was low on resource: memory. Threshold quantity: 100Mi,"
            " available: 86528Ki. Container app was using 913820Ki, request is 0, has"
            " larger consumption of memory. "
        )
        self.report(pod, "Warning", "Evicted", message)
        status = {"phase": "Failed", "reason": "Evicted", "message": message}
        self.set_status(pod, status)

    def rejects(self, pod: Record) -> bool:
        """Fail a Pod that its node does not take, and return whether that is so."""
        name = pod["spec"]["nodeName"]
        others = [
            each
            for each in list(self._pods.values())
            if each["spec"]["nodeName"] == name
            and each["metadata"]["uid"] != pod["metadata"]["uid"]
            and each["status"].get("phase") not in ("Succeeded", "Failed")
        ]
        try:
            node = self.client.send("GET", f"/api/v1/nodes/{name}")
        except Refused:  # it was deleted while its kubelet runs
            return False
        reason, message = rejection(pod, node, others)
        if reason:
            self.report(pod, "Warning", reason, message)
            message = f"Pod was rejected: {message}"
            status = {"phase": "Failed", "reason": reason, "message": message}
            self.set_status(pod, {**status, "startTime": now()})
        return bool(reason)

    def remove(self, pod: Record) -> None:
        """Delete a Pod for good."""
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}
        with suppress(Refused):
            self.client.send("DELETE", path, options)

    def _patch_status(
        self, path: str, status: Mapping[str, Any], uid: str = ""
    ) -> None:
        body = {"status": status, **({"metadata": {"uid": uid}} if uid else {})}
        with suppress(Refused):
            self.client.send("PATCH", f"{path}/status", body, manager="kubelet")

    def _heartbeat(self) -> None:
        while not self._closed.wait(LEASE_SECONDS):
            for node in list(self._alive):
                spec = {
                    "holderIdentity": node,
                    "leaseDurationSeconds": 40,
                    "renewTime": now(micro=True),
                }
                path = f"{_LEASES}/{node}"
                try:
                    self.client.send("PATCH", path, {"spec": spec}, manager="kubelet")
                except Refused:
                    body = {"metadata": {"name": node}, "spec": spec}
                    with suppress(Refused):
                        self.client.send("POST", _LEASES, body, manager="kubelet")

    def _watch(self) -> None:
        while not self._closed.is_set():
            with suppress(OSError, ValueError):
                # Without a resourceVersion, a watch begins with all there is.
                self._follow("/api/v1/pods?watch=true")

    def _follow(self, path: str) -> None:
        for line in self.client.open(path):
            event = json.loads(line)
            pod = event["object"]
            if event["type"] == "ERROR":
                return
            uid = pod["metadata"]["uid"]
            if event["type"] == "DELETED":
                self._pods.pop(uid, None)
                continue
            is_new = uid not in self._pods
            if not pod["spec"].get("nodeName"):
                continue
            self._pods[uid] = pod
            if is_new:
                threading.Thread(target=PodLife(self, pod).run, daemon=True).start()


def _condition(kind: str, status: str, reason: str, message: str) -> Record:
    return {
        "type": kind,
        "status": status,
        "reason": f"Kubelet{reason}",
        "message": f"kubelet {message}",
        "lastHeartbeatTime": now(),
        "lastTransitionTime": now(),
    }
