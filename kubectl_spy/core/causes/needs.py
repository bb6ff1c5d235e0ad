"""What an object depends on, and which writes of it can explain which failures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.causes.writes import (
    CONTAINERS,
    FEWER,
    MORE,
    Change,
    Write,
)
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import services_of
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON

Names = dict[str, set[str]]
"""Names of objects by their kind."""

_DEFAULT = "default"
"""The service account of a Pod that names none.
https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/
"""
MAKERS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "Pod")
"""The kinds whose Pods a Service may select."""


def pod_spec(document: JSON) -> dict[str, JSON]:
    """Return the spec of a Pod, or of the Pods that *document* makes."""
    spec = mapping(document, "spec")
    job = mapping(spec, "jobTemplate", "spec")
    return mapping(job or spec, "template", "spec") or spec


def needs(entry: Entry, container: str = "") -> Names:
    """Return the objects that *entry* refers to, by kind; of its containers only one.

    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for kind, name in _references(entry, container):
        found[kind].add(name)
    return {kind: names - {""} for kind, names in found.items()}


_OF_WEBHOOK = re.compile(r'"https://(?P<name>[^."/]+)\.(?P<namespace>[^."/]+)\.svc[:/]')
"""The Service of a webhook, in the API server's message.
https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
"""


def related(entry: Entry, finding: Finding, seen: Inventory) -> tuple[Entry, ...]:
    """Return the Services that traffic must reach, and the claims of a Pod."""
    if entry.gvk.kind == "Service":
        return (entry,)
    names = [
        (kind, entry.namespace, name)
        for kind in ("Service", "PersistentVolumeClaim")
        for name in sorted(needs(entry).get(kind, ()))
    ]
    if found := _OF_WEBHOOK.search(finding.text):
        names.append(("Service", found["namespace"], found["name"]))
    known = (seen.named("", *each) for each in names)
    return tuple(each for each in known if each is not None)


def _references(entry: Entry, container: str) -> Iterator[tuple[str, str]]:
    spec = mapping(entry.document, "spec")
    match entry.gvk.kind:
        case "Ingress":
            yield "IngressClass", text(spec, "ingressClassName")
            yield from (
                ("Secret", text(each, "secretName")) for each in mappings(spec, "tls")
            )
            yield from (("Service", name) for name in services_of(entry.document))
        case "HorizontalPodAutoscaler":
            target = mapping(spec, "scaleTargetRef")
            yield text(target, "kind"), text(target, "name")
        case "PersistentVolumeClaim":
            yield "StorageClass", text(spec, "storageClassName")
            yield "PersistentVolume", text(spec, "volumeName")
        case _:
            yield from _of_pod(pod_spec(entry.document), container)


def _of_pod(spec: dict[str, JSON], only: str) -> Iterator[tuple[str, str]]:
    yield "ServiceAccount", text(spec, "serviceAccountName") or _DEFAULT
    yield "PriorityClass", text(spec, "priorityClassName")
    yield "RuntimeClass", text(spec, "runtimeClassName")
    yield "Node", text(spec, "nodeName")
    for each in mappings(spec, "imagePullSecrets"):
        yield "Secret", text(each, "name")
    for container in (it for where in CONTAINERS for it in mappings(spec, where)):
        if only not in ("", text(container, "name")):
            continue
        for each in mappings(container, "envFrom"):
            yield "ConfigMap", text(each, "configMapRef", "name")
            yield "Secret", text(each, "secretRef", "name")
        for each in mappings(container, "env"):
            yield "ConfigMap", text(each, "valueFrom", "configMapKeyRef", "name")
            yield "Secret", text(each, "valueFrom", "secretKeyRef", "name")
    for volume in mappings(spec, "volumes"):
        for each in (volume, *mappings(volume, "projected", "sources")):
            yield "ConfigMap", text(each, "configMap", "name")
            yield "Secret", text(each, "secret", "secretName")
            yield "Secret", text(each, "secret", "name")
        yield (
            "PersistentVolumeClaim",
            text(volume, "persistentVolumeClaim", "claimName"),
        )


class Category(NamedTuple):
    """A kind of failure, and what may cause it."""

    about: re.Pattern[str]
    """Matches *about* and text of a finding: `container/app cannot pull image`."""
    fields: re.Pattern[str]
    """The fields of the failing object and its controllers that may cause it. `pod` is
    the Pod template."""
    kinds: dict[str, str]
    """The fields of other objects that may cause it, by kind."""
    everywhere: frozenset[str]
    """Kinds of which any object may cause it, although nothing names the object."""
    first: frozenset[str]
    """Kinds that such a message is about, even if it names no object."""
    sure: re.Pattern[str]
    """Matches the text of a finding that names its only possible cause."""
    late: bool
    """Whether it may happen long after its cause."""

    def meant(self, write: Write, *, own: bool) -> list[Change] | None:
        """Return the changes of *write* that can explain the failure, or None.

        *own* says that it is a write of the failing object or of its controllers.
        """
        kind = write.record.gvk.kind
        fields = self.fields.pattern if own else self.kinds.get(kind, "$^")
        if fields == "$^":
            return None
        found = [it for it in write.changes() if re.match(fields, it.where)]
        return found if found or write.whole else None


def _category(
    about: str,
    fields: str,
    kinds: dict[str, str],
    everywhere: str = "",
    *,
    first: str = "",
    sure: str = "",
    late: bool = False,
) -> Category:
    patterns = re.compile(about), re.compile(fields)
    words = frozenset(everywhere.split()), frozenset(first.split())
    return Category(*patterns, kinds, *words, re.compile(sure), late)


_DATA = "data|binaryData|stringData|type"
_FILES = {"ConfigMap": _DATA, "Secret": _DATA}
_PULL = {"Secret": _DATA, "ServiceAccount": "imagePullSecrets"}
_STORAGE = {
    "PersistentVolumeClaim": "spec",
    "PersistentVolume": "spec|metadata",
    "StorageClass": "",
}
_WEBHOOKS = {
    "ValidatingWebhookConfiguration": "webhooks",
    "MutatingWebhookConfiguration": "webhooks",
    "ValidatingAdmissionPolicy": "spec",
    "ValidatingAdmissionPolicyBinding": "spec",
}
_SCALER = {"HorizontalPodAutoscaler": "spec"}
_BACKENDS = {"Service": "spec", **dict.fromkeys(MAKERS, "spec|pod")}
_BACKENDS["Pod"] = "metadata/labels"
_LOWERED = f"spec/(?!.*/{MORE}$)"
"""Bounds that were raised explain no refusal."""
_MADE = "(creation|condition/ReplicaFailure)"
_CONTAINER = "(container|init|sidecar)/"
_IN = "pod/(initContainers|containers)/[^/]+/"
_LOWER_LIMITS = f"resources/limits/[^/]+(?!/{MORE})(/|$)"
_RUNS = (
    "pod/(initContainers|containers)(/[^/]+/(?!resources/requests|resources/limits/[^/]+/"
    f"{MORE})|$)"
    "|pod/(volumes|securityContext|serviceAccount|dns|host|restartPolicy"
    f"|activeDeadlineSeconds|runtimeClassName|shareProcessNamespace|{_LOWER_LIMITS}"
    "|terminationGracePeriodSeconds|enableServiceLinks)"
    "|spec/(backoffLimit|activeDeadlineSeconds|podFailurePolicy)"
)
"""What decides how containers run."""
_CATEGORIES = (
    # https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/
    _category(
        f"{_CONTAINER}.*cannot pull image.* the registry denies access",
        f"{_IN}image|pod/imagePullSecrets|pod/serviceAccount",
        _PULL,
        first="Secret ServiceAccount",
        sure="$^",
    ),
    # https://kubernetes.io/docs/concepts/containers/images/
    _category(
        f"{_CONTAINER}.*(cannot pull image|valid name of an image|imagePullPolicy is"
        " Never|registry of its image|signature of its image|its image cannot be read)",
        f"{_IN}image|pod/(imagePullSecrets|serviceAccount|nodeSelector|affinity)",
        _PULL,
        sure="no such image|valid name of an image|imagePullPolicy is Never",
    ),
    # https://kubernetes.io/docs/concepts/configuration/configmap/
    # https://kubernetes.io/docs/concepts/storage/volumes/
    _category(
        f"(volume|{_CONTAINER}).*(does not exist| has no key )",
        f"{_IN}(env|volume)|pod/volumes|spec/volumeClaimTemplates",
        _FILES | _STORAGE,
    ),
    _category(
        f"volume|{_CONTAINER}.*(runAsNonRoot|configuration)",
        f"{_IN}(env|volume|securityContext|image)|pod/(volumes|securityContext)"
        "|spec/volumeClaimTemplates",
        _FILES | _STORAGE,
    ),
    # https://kubernetes.io/docs/concepts/scheduling-eviction/
    _category(
        "scheduling|resourceClaim|kubelet|disruption|lost",
        f"{_IN}(resources(?!.*/{FEWER}$)|ports)|pod/(nodeSelector|affinity|tolerations"
        "|nodeName|volumes|topologySpread|priorityClassName|schedulerName"
        f"|schedulingGates|resource(?!.*/{FEWER}$)|runtimeClassName|hostNetwork|overhead)"
        "|spec/(replicas|volumeClaimTemplates|parallelism)",
        {
            "Node": "spec/(taints|unschedulable)|metadata/labels",
            "PriorityClass": "",
            "LimitRange": "spec",
            **_SCALER,
            **_STORAGE,
        },
        " ".join(("Node LimitRange", *_SCALER)),
    ),
    # https://kubernetes.io/docs/concepts/policy/resource-quotas/
    _category(
        f"{_MADE}.* quota ",
        "pod|spec/(replicas|parallelism|completions|template|strategy)",
        {"ResourceQuota": _LOWERED, "LimitRange": "spec", **_SCALER},
        " ".join(("ResourceQuota LimitRange", *_SCALER)),
    ),
    # https://kubernetes.io/docs/concepts/security/pod-security-admission/
    _category(
        f"{_MADE}.* Pod Security ",
        f"{_IN}(securityContext|ports|volumeMounts)|pod/(securityContext|host|volumes)",
        {"Namespace": "metadata/labels/pod-security"},
        "Namespace",
    ),
    # https://kubernetes.io/docs/concepts/security/service-accounts/
    _category(
        f"{_MADE}.* service account ", "pod/serviceAccount", {"ServiceAccount": "$"}
    ),
    # https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
    _category(
        f"{_MADE}.* cannot be called",
        "$^",
        _WEBHOOKS | _BACKENDS,
        " ".join(_WEBHOOKS),
        sure="$^",
    ),
    # https://kubernetes.io/docs/concepts/policy/limit-range/
    _category(
        _MADE,
        "pod|spec/(replicas|volumeClaimTemplates|template/metadata/labels)",
        {"LimitRange": _LOWERED, "PriorityClass": "", **_WEBHOOKS},
        " ".join(("LimitRange", *_WEBHOOKS)),
    ),
    # https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
    # https://kubernetes.io/docs/concepts/policy/limit-range/
    _category(
        f"{_CONTAINER}.*OOMKilled",
        _RUNS,
        {**_FILES, "LimitRange": "spec"},
        "LimitRange",
        late=True,
    ),
    # https://kubernetes.io/docs/concepts/workloads/pods/probes/
    # Fewer Pods share the load: https://kubernetes.io/docs/concepts/workloads/autoscaling/
    _category(
        "probe",
        f"{_RUNS}|spec/replicas/{FEWER}",
        {**_FILES, "HorizontalPodAutoscaler": f"spec/(max|min)Replicas/{FEWER}|spec/m"},
        "HorizontalPodAutoscaler",
        late=True,
    ),
    # https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
    _category(_CONTAINER, _RUNS, _FILES, late=True),
    # https://kubernetes.io/docs/concepts/storage/persistent-volumes/
    _category(
        "binding",
        "spec",
        {
            "PersistentVolume": "spec|metadata",
            "StorageClass": "",
            "ResourceQuota": "spec",
        },
        "PersistentVolume StorageClass",
    ),
    # https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/
    # https://kubernetes.io/docs/concepts/services-networking/ingress/
    # https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
    _category(
        "",
        "spec(?!/progressDeadlineSeconds)|pod",
        {"IngressClass": "", "Secret": _DATA, **_BACKENDS},
    ),
)
"""The first that fits is the one."""


def category_of(finding: Finding) -> Category:
    """Return the kind of failure that *finding* tells."""
    told = f"{finding.about} {finding.text}"
    return next(each for each in _CATEGORIES if each.about.match(told))
