"""The columns of the kinds of Kubernetes itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables import contents, network, workloads
from kubectl_spy.extras.serve.api_server.tables.cells import (
    AGE,
    NAME,
    NONE,
    UNKNOWN,
    UNSET,
    Cell,
    age_of,
    count,
    joined,
    labels_at,
    ratio,
    selector_at,
    value,
)


class Column(NamedTuple):
    """A column of a table."""

    name: str
    cell: Cell
    type: str = "string"
    wide: bool = False  # whether only `-o wide` shows it
    format: str = ""

    def as_json(self) -> JSON:
        """Return the definition of the column. Its description is left out."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": "",
            "priority": int(self.wide),
        }


Columns = tuple[Column, ...]


def _columns(always: Mapping[str, Cell], wide: Mapping[str, Cell]) -> Columns:
    """Return columns by name. A name ends in `#` for an integer, `?` for a boolean."""
    found = []
    for cells, is_wide in ((always, False), (wide, True)):
        for each, cell in cells.items():
            name = each.rstrip("#?")
            kind = {"#": "integer", "?": "boolean"}.get(each[len(name) :], "string")
            form = "name" if name == "Name" else ""
            found.append(Column(name, cell, kind, is_wide, form))
    return tuple(found)


def _containers(spec: str, selector: Cell | None = None) -> dict[str, Cell]:
    cells = {
        "Containers": joined(f"{spec}.containers", "name"),
        "Images": joined(f"{spec}.containers", "image"),
    }
    return {**cells, "Selector": selector} if selector else cells


_TEMPLATE = "spec.template.spec"
_SELECTOR = selector_at("spec.selector")
_REPLICAS: dict[str, Cell] = {
    "Name": NAME,
    "Desired#": value("spec.replicas", 0),
    "Current#": value("status.replicas", 0),
    "Ready#": value("status.readyReplicas", 0),
    "Age": AGE,
}
NAME_AGE = _columns({"Name": NAME, "Age": AGE}, {})
_EVENTS: dict[str, Cell] = {
    "Last Seen": contents.last_seen,
    "Type": value("type"),
    "Reason": value("reason"),
    "Object": contents.event_object,
    "Subobject": contents.event_subobject,
    "Source": contents.event_source,
    "Message": contents.event_message,
    "First Seen": contents.first_seen,
    "Count": contents.event_count,
    "Name": NAME,
}
_WIDE_EVENTS = ("Subobject", "Source", "First Seen", "Count", "Name")

_BY_KIND: dict[tuple[str, str], Columns] = {
    ("", "Pod"): _columns(
        {
            "Name": NAME,
            "Ready": workloads.pod_ready,
            "Status": workloads.pod_status,
            "Restarts": workloads.pod_restarts,
            "Age": AGE,
        },
        {
            "IP": workloads.pod_ip,
            "Node": value("spec.nodeName", NONE),
            "Nominated Node": value("status.nominatedNodeName", NONE),
            "Readiness Gates": workloads.readiness_gates,
        },
    ),
    ("", "ReplicationController"): _columns(
        _REPLICAS, _containers(_TEMPLATE, labels_at("spec.selector"))
    ),
    ("apps", "ReplicaSet"): _columns(_REPLICAS, _containers(_TEMPLATE, _SELECTOR)),
    ("apps", "Deployment"): _columns(
        {
            "Name": NAME,
            "Ready": ratio("status.readyReplicas", "spec.replicas"),
            "Up-to-date": value("status.updatedReplicas", 0),
            "Available": value("status.availableReplicas", 0),
            "Age": AGE,
        },
        _containers(_TEMPLATE, selector_at("spec.selector", "")),
    ),
    ("apps", "StatefulSet"): _columns(
        {
            "Name": NAME,
            "Ready": ratio("status.readyReplicas", "spec.replicas"),
            "Age": AGE,
        },
        _containers(_TEMPLATE),
    ),
    ("apps", "DaemonSet"): _columns(
        {
            "Name": NAME,
            "Desired#": value("status.desiredNumberScheduled", 0),
            "Current#": value("status.currentNumberScheduled", 0),
            "Ready#": value("status.numberReady", 0),
            "Up-to-date#": value("status.updatedNumberScheduled", 0),
            "Available#": value("status.numberAvailable", 0),
            "Node Selector": labels_at(f"{_TEMPLATE}.nodeSelector"),
            "Age": AGE,
        },
        _containers(_TEMPLATE, _SELECTOR),
    ),
    ("apps", "ControllerRevision"): _columns(
        {
            "Name": NAME,
            "Controller": workloads.controller,
            "Revision": value("revision", 0),
            "Age": AGE,
        },
        {},
    ),
    ("batch", "Job"): _columns(
        {
            "Name": NAME,
            "Status": workloads.job_status,
            "Completions": workloads.completions,
            "Duration": workloads.job_duration,
            "Age": AGE,
        },
        _containers(_TEMPLATE, _SELECTOR),
    ),
    ("batch", "CronJob"): _columns(
        {
            "Name": NAME,
            "Schedule": value("spec.schedule"),
            "Timezone": value("spec.timeZone", NONE),
            "Suspend?": workloads.suspended,
            "Active#": count("status.active"),
            "Last Schedule": age_of("status.lastScheduleTime", NONE),
            "Age": AGE,
        },
        _containers(
            "spec.jobTemplate.spec.template.spec",
            selector_at("spec.jobTemplate.spec.selector"),
        ),
    ),
    ("", "Service"): _columns(
        {
            "Name": NAME,
            "Type": value("spec.type"),
            "Cluster-IP": network.cluster_ip,
            "External-IP": network.external_ip,
            "Port(s)": network.ports,
            "Age": AGE,
        },
        {"Selector": labels_at("spec.selector")},
    ),
    ("networking.k8s.io", "Ingress"): _columns(
        {
            "Name": NAME,
            "Class": value("spec.ingressClassName", NONE),
            "Hosts": network.hosts,
            "Address": network.address,
            "Ports": network.ingress_ports,
            "Age": AGE,
        },
        {},
    ),
    ("networking.k8s.io", "NetworkPolicy"): _columns(
        {"Name": NAME, "Pod-Selector": selector_at("spec.podSelector"), "Age": AGE}, {}
    ),
    ("", "Endpoints"): _columns(
        {"Name": NAME, "Endpoints": network.endpoints, "Age": AGE}, {}
    ),
    ("discovery.k8s.io", "EndpointSlice"): _columns(
        {
            "Name": NAME,
            "AddressType": value("addressType"),
            "Ports": network.slice_ports,
            "Endpoints": network.slice_endpoints,
            "Age": AGE,
        },
        {},
    ),
    ("", "Node"): _columns(
        {
            "Name": NAME,
            "Status": network.node_status,
            "Roles": network.node_roles,
            "Age": AGE,
            "Version": value("status.nodeInfo.kubeletVersion"),
        },
        {
            "Internal-IP": network.internal_ip,
            "External-IP": network.node_external_ip,
            "OS-Image": value("status.nodeInfo.osImage", UNKNOWN),
            "Kernel-Version": network.kernel,
            "Container-Runtime": value(
                "status.nodeInfo.containerRuntimeVersion", UNKNOWN
            ),
        },
    ),
    ("", "Namespace"): _columns(
        {"Name": NAME, "Status": value("status.phase"), "Age": AGE}, {}
    ),
    ("", "Secret"): _columns(
        {"Name": NAME, "Type": value("type"), "Data": count("data"), "Age": AGE}, {}
    ),
    ("", "ConfigMap"): _columns({"Name": NAME, "Data": contents.data, "Age": AGE}, {}),
    ("", "ServiceAccount"): NAME_AGE,
    ("", "PersistentVolume"): _columns(
        {
            "Name": NAME,
            "Capacity": value("spec.capacity.storage", "0"),
            "Access Modes": contents.volume_modes,
            "Reclaim Policy": value("spec.persistentVolumeReclaimPolicy"),
            "Status": contents.volume_phase,
            "Claim": contents.claim,
            "StorageClass": contents.storage_class,
            "VolumeAttributesClass": value("spec.volumeAttributesClassName", UNSET),
            "Reason": value("status.reason"),
            "Age": AGE,
        },
        {"VolumeMode": value("spec.volumeMode", UNSET)},
    ),
    ("", "PersistentVolumeClaim"): _columns(
        {
            "Name": NAME,
            "Status": contents.volume_phase,
            "Volume": value("spec.volumeName"),
            "Capacity": contents.claim_capacity,
            "Access Modes": contents.claim_modes,
            "StorageClass": contents.storage_class,
            "VolumeAttributesClass": value("spec.volumeAttributesClassName", UNSET),
            "Age": AGE,
        },
        {"VolumeMode": value("spec.volumeMode", UNSET)},
    ),
    ("storage.k8s.io", "StorageClass"): _columns(
        {
            "Name": contents.is_default,
            "Provisioner": value("provisioner"),
            "ReclaimPolicy": value("reclaimPolicy", "Delete"),
            "VolumeBindingMode": value("volumeBindingMode", "Immediate"),
            "AllowVolumeExpansion": value("allowVolumeExpansion", False),
            "Age": AGE,
        },
        {},
    ),
    ("autoscaling", "HorizontalPodAutoscaler"): _columns(
        {
            "Name": NAME,
            "Reference": workloads.scale_target,
            "Targets": workloads.targets,
            "MinPods": workloads.min_pods,
            "MaxPods": value("spec.maxReplicas", 0),
            "Replicas": value("status.currentReplicas", 0),
            "Age": AGE,
        },
        {},
    ),
    ("policy", "PodDisruptionBudget"): _columns(
        {
            "Name": NAME,
            "Min Available": workloads.min_available,
            "Max Unavailable": workloads.max_unavailable,
            "Allowed Disruptions#": value("status.disruptionsAllowed", 0),
            "Age": AGE,
        },
        {},
    ),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        Column("Name", NAME, format="name"),
        Column("Created At", value("metadata.creationTimestamp"), "date"),
    ),
    ("coordination.k8s.io", "Lease"): _columns(
        {"Name": NAME, "Holder": value("spec.holderIdentity"), "Age": AGE}, {}
    ),
    **dict.fromkeys(
        [("", "Event"), ("events.k8s.io", "Event")],
        tuple(
            each._replace(wide=each.name in _WIDE_EVENTS)
            for each in _columns(_EVENTS, {})
        ),
    ),
}


def columns_of(group: str, kind: str) -> Columns | None:
    """Return the columns of a kind of Kubernetes itself."""
    return _BY_KIND.get((group, kind))
