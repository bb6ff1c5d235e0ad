"""The rules of each kind. A new kind is a function and one line here."""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.diagnosis.kinds import (
    cron_job,
    daemon_set,
    deployment,
    generic,
    horizontal_pod_autoscaler,
    ingress,
    job,
    namespace,
    node,
    persistent_volume_claim,
    pod,
    pod_disruption_budget,
    replica_set,
    service,
    stateful_set,
)
from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.knowledge.kinds import known

Diagnose = Callable[[Entry, Inventory], Diagnosis]
"""Return the diagnosis of an object, from it and from everything else observed.

It raises nothing, whatever the object holds, and reads no clock: it asks
`Inventory.is_before`.
"""

_KINDS: dict[tuple[str, str], Diagnose] = {  # by group and kind
    ("", "Namespace"): namespace.diagnose,
    ("", "Node"): node.diagnose,
    ("", "PersistentVolumeClaim"): persistent_volume_claim.diagnose,
    ("", "Pod"): pod.diagnose,
    ("", "Service"): service.diagnose,
    ("apps", "DaemonSet"): daemon_set.diagnose,
    ("apps", "Deployment"): deployment.diagnose,
    ("apps", "ReplicaSet"): replica_set.diagnose,
    ("apps", "StatefulSet"): stateful_set.diagnose,
    ("autoscaling", "HorizontalPodAutoscaler"): horizontal_pod_autoscaler.diagnose,
    ("batch", "CronJob"): cron_job.diagnose,
    ("batch", "Job"): job.diagnose,
    ("discovery.k8s.io", "EndpointSlice"): service.diagnose_slice,
    ("networking.k8s.io", "Ingress"): ingress.diagnose,
    ("policy", "PodDisruptionBudget"): pod_disruption_budget.diagnose,
}


def rules_of(entry: Entry) -> Diagnose:
    """Return the rules of the object's kind, or those that all kinds share."""
    return _KINDS.get((entry.gvk.group, entry.gvk.kind), generic.diagnose)


def can_judge(gvk: GroupVersionKind, document: JSON) -> bool:
    """Return whether the rules can say that an object fails."""
    conditions = mapping(document, "status").get("conditions")
    ruled = (gvk.group, gvk.kind) in _KINDS or known(gvk.group, gvk.kind).health
    return bool(ruled or conditions)


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the diagnosis of the object by the rules of its kind."""
    return rules_of(entry)(entry, inventory)
