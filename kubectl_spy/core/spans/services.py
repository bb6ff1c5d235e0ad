"""Which component acted: `service.name` of a span."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.objects import GroupVersionKind

UNKNOWN = ""
"""It cannot be told who acted."""
_MANY = "kube-controller-manager"
"""The field manager of all controllers of that program: it does not say which."""
_CONTROLLERS = {
    ("", "Node"): "node-controller",
    ("", "PersistentVolumeClaim"): "persistentvolume-controller",
    ("", "Pod"): "kubelet",
    ("", "ReplicationController"): "replication-controller",
    ("", "Service"): "service-controller",
    ("apps", "DaemonSet"): "daemonset-controller",
    ("apps", "Deployment"): "deployment-controller",
    ("apps", "ReplicaSet"): "replicaset-controller",
    ("apps", "StatefulSet"): "statefulset-controller",
    ("autoscaling", "HorizontalPodAutoscaler"): "horizontal-pod-autoscaler",
    ("batch", "CronJob"): "cronjob-controller",
    ("batch", "Job"): "job-controller",
    ("discovery.k8s.io", "EndpointSlice"): "endpoint-slice-controller",
}
"""Who sees to the objects of a kind, by the name that it reports Events under."""
_FOR_OTHERS = frozenset({("discovery.k8s.io", "EndpointSlice")})
"""Kinds that another controller makes than that of their owners."""
_SCHEDULING = ("Pending", "SchedulingGated")


def writer(managers: Sequence[str]) -> str:
    """Return who likely made a change, *managers* being the field managers it names."""
    return next(iter(managers), UNKNOWN)


def maker(
    gvk: GroupVersionKind,
    name: str,
    owner: GroupVersionKind | None,
    reported: Iterable[ClusterEvent],
    managers: Sequence[str],
) -> str:
    """Return who made the object of that kind and *name*.

    That is who reports so, in an Event about its *owner* whose message names it
    ("Created pod: web-0"), or else the field manager that wrote it first, or else
    whoever sees to objects of the owner's kind.
    """
    for event in reported:
        if event.component and name in event.message.replace('"', " ").split():
            return event.component
    if (gvk.group, gvk.kind) in _FOR_OTHERS:
        return controller(gvk)
    told = next((each for each in managers if each != _MANY), "")
    if owner is not None and (_MANY in managers or not told):
        return controller(owner)
    return told or writer(managers)


def controller(gvk: GroupVersionKind) -> str:
    """Return who sees to the objects of a kind."""
    return _CONTROLLERS.get((gvk.group, gvk.kind), UNKNOWN)


def worker(gvk: GroupVersionKind, phase: str) -> str:
    """Return who has to bring an object out of a phase."""
    if (gvk.group, gvk.kind) == ("", "Pod") and phase in _SCHEDULING:
        return "default-scheduler"
    return controller(gvk)
