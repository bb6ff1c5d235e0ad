"""The kinds of failures, and the fields whose writes may cause each."""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.causes.needs import MAKERS
from kubectl_spy.core.causes.writes import FEWER, MORE, Change, Write
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.findings import code_of


class Category(NamedTuple):
    """A kind of failure, and what may cause it."""

    name: str  # as `Code.blames` has it
    fields: re.Pattern[str]
    """The fields of the failing object and its controllers that may cause it. `pod` is
    the Pod template."""
    kinds: dict[str, str]
    """The fields of other objects that may cause it, by kind."""
    everywhere: frozenset[str]
    """Kinds of which any object may cause it, although nothing names the object."""
    first: frozenset[str]
    """Kinds that such a message is about, even if it names no object."""
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
    name: str,
    fields: str,
    kinds: dict[str, str],
    everywhere: str = "",
    *,
    first: str = "",
    late: bool = False,
) -> Category:
    words = frozenset(everywhere.split()), frozenset(first.split())
    return Category(name, re.compile(fields), kinds, *words, late)


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
        "registry",
        f"{_IN}image|pod/imagePullSecrets|pod/serviceAccount",
        _PULL,
        first="Secret ServiceAccount",
    ),
    # https://kubernetes.io/docs/concepts/containers/images/
    _category(
        "image",
        f"{_IN}image|pod/(imagePullSecrets|serviceAccount|nodeSelector|affinity)",
        _PULL,
    ),
    # https://kubernetes.io/docs/concepts/configuration/configmap/
    # https://kubernetes.io/docs/concepts/storage/volumes/
    _category(
        "missing",
        f"{_IN}(env|volume)|pod/volumes|spec/volumeClaimTemplates",
        _FILES | _STORAGE,
    ),
    _category(
        "configuration",
        f"{_IN}(env|volume|securityContext|image)|pod/(volumes|securityContext)"
        "|spec/volumeClaimTemplates",
        _FILES | _STORAGE,
    ),
    # https://kubernetes.io/docs/concepts/scheduling-eviction/
    _category(
        "scheduling",
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
        "quota",
        "pod|spec/(replicas|parallelism|completions|template|strategy)",
        {"ResourceQuota": _LOWERED, "LimitRange": "spec", **_SCALER},
        " ".join(("ResourceQuota LimitRange", *_SCALER)),
    ),
    # https://kubernetes.io/docs/concepts/security/pod-security-admission/
    _category(
        "podSecurity",
        f"{_IN}(securityContext|ports|volumeMounts)|pod/(securityContext|host|volumes)",
        {"Namespace": "metadata/labels/pod-security"},
        "Namespace",
    ),
    # https://kubernetes.io/docs/concepts/security/service-accounts/
    _category("serviceAccount", "pod/serviceAccount", {"ServiceAccount": "$"}),
    # https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
    _category(
        "webhook",
        "$^",
        _WEBHOOKS | _BACKENDS,
        " ".join(_WEBHOOKS),
    ),
    # https://kubernetes.io/docs/concepts/policy/limit-range/
    _category(
        "creation",
        "pod|spec/(replicas|volumeClaimTemplates|template/metadata/labels)",
        {"LimitRange": _LOWERED, "PriorityClass": "", **_WEBHOOKS},
        " ".join(("LimitRange", *_WEBHOOKS)),
    ),
    # https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
    # https://kubernetes.io/docs/concepts/policy/limit-range/
    _category(
        "memory",
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
    _category("container", _RUNS, _FILES, late=True),
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
_BY_NAME = {each.name: each for each in _CATEGORIES}
_BY_PART = {
    "container": "container",
    "init": "container",
    "sidecar": "container",
    "volume": "configuration",
    "volumes": "configuration",
    "scheduling": "scheduling",
    "resourceClaim": "scheduling",
    "kubelet": "scheduling",
    "disruption": "scheduling",
    "lost": "scheduling",
    "creation": "creation",
    "probe": "probe",
    "binding": "binding",
}
"""The category of a finding whose code names none, by what it is about."""
_ABSENT = frozenset({"ObjectMissing", "KeyMissing"})


def category_of(finding: Finding) -> Category:
    """Return the kind of failure of *finding*: its deepest fact tells most."""
    codes = [each.code for each in finding.fact.all()]
    for code in reversed(codes):
        if blames := code_of(code).blames:
            return _BY_NAME[blames]
    part = finding.about.partition("/")[0]
    name = _BY_PART.get(part, "")
    if name in ("container", "configuration") and not _ABSENT.isdisjoint(codes):
        name = "missing"
    return _BY_NAME[name]
