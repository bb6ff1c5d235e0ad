"""Values that are only written differently: 1000m and 1, 5m and 300s, "80" and 80.

A server may write a value anew, or keep it as it is. Only where a type declares what a
member holds can this be told: in a ConfigMap, an annotation, an argument or a variable
of the environment, 1000m is a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, localcontext
from functools import lru_cache

from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.quantities import EXACT, quantity

QUANTITIES, DURATIONS, NUMBERS = "quantities", "durations", "numbers as texts"
"""What is counted. The last is of IntOrString, which is mostly a port."""

_CONTAINER = "/(containers|initContainers|ephemeralContainers)/*"
_RESOURCES = "/resources/(requests|limits)/*"
_HANDLERS = "/(httpGet|tcpSocket)/port"
_DIVISOR = "/downwardAPI/items/*/resourceFieldRef/divisor"
_METRIC = "/(resource|containerResource|pods|object|external)"

# https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
_POD = {
    f"{_CONTAINER}{_RESOURCES}": QUANTITIES,
    _RESOURCES: QUANTITIES,
    "/overhead/*": QUANTITIES,
    "/volumes/*/emptyDir/sizeLimit": QUANTITIES,
    f"/volumes/*/ephemeral/volumeClaimTemplate/spec{_RESOURCES}": QUANTITIES,
    f"/volumes/*{_DIVISOR}": QUANTITIES,
    f"/volumes/*/projected/sources/*{_DIVISOR}": QUANTITIES,
    f"{_CONTAINER}/(liveness|readiness|startup)Probe{_HANDLERS}": NUMBERS,
    f"{_CONTAINER}/lifecycle/(postStart|preStop){_HANDLERS}": NUMBERS,
}
_PODS = {
    "Pod": "/spec",
    "PodTemplate": "/template/spec",
    "ReplicationController apps:ReplicaSet": "/spec/template/spec",
    "apps:Deployment apps:StatefulSet apps:DaemonSet": "/spec/template/spec",
    "batch:Job": "/spec/template/spec",
    "batch:CronJob": "/spec/jobTemplate/spec/template/spec",
}
"""Where the kinds have the spec of a Pod."""
_MEMBERS = {
    "Service": {"/spec/ports/*/targetPort": NUMBERS},
    "PersistentVolume": {"/spec/capacity/*": QUANTITIES},
    "PersistentVolumeClaim": {
        f"/spec{_RESOURCES}": QUANTITIES,
        "/status/(capacity|allocatedResources)/*": QUANTITIES,
    },
    "Node": {"/status/(capacity|allocatable)/*": QUANTITIES},
    "ResourceQuota": {
        "/spec/hard/*": QUANTITIES,
        "/status/(hard|used)/*": QUANTITIES,
    },
    "LimitRange": {
        "/spec/limits/*/(max|min|default|defaultRequest|maxLimitRequestRatio)/*": (
            QUANTITIES
        )
    },
    "apps:Deployment": {
        "/spec/strategy/rollingUpdate/(maxSurge|maxUnavailable)": NUMBERS
    },
    "apps:DaemonSet": {
        "/spec/updateStrategy/rollingUpdate/(maxSurge|maxUnavailable)": NUMBERS
    },
    "apps:StatefulSet": {
        "/spec/updateStrategy/rollingUpdate/maxUnavailable": NUMBERS,
        f"/spec/volumeClaimTemplates/*/spec{_RESOURCES}": QUANTITIES,
    },
    "policy:PodDisruptionBudget": {"/spec/(minAvailable|maxUnavailable)": NUMBERS},
    "networking.k8s.io:NetworkPolicy": {
        "/spec/(ingress|egress)/*/ports/*/port": NUMBERS
    },
    "autoscaling:HorizontalPodAutoscaler": {
        f"/spec/metrics/*{_METRIC}/target/(value|averageValue)": QUANTITIES,
        f"/status/currentMetrics/*{_METRIC}/current/(value|averageValue)": QUANTITIES,
    },
    "node.k8s.io:RuntimeClass": {"/overhead/podFixed/*": QUANTITIES},
    "storage.k8s.io:CSIStorageCapacity": {
        "/(capacity|maximumVolumeSize)": QUANTITIES,
    },
    # Kubernetes' own kinds have no duration, but those of its projects do.
    # https://github.com/cert-manager/cert-manager/blob/master/pkg/apis/certmanager/v1/types_certificate.go
    "cert-manager.io:Certificate": {"/spec/(duration|renewBefore)": DURATIONS},
    # https://github.com/fluxcd/kustomize-controller/blob/main/api/v1/kustomization_types.go
    "kustomize.toolkit.fluxcd.io:Kustomization": {
        "/spec/(interval|retryInterval|timeout)": DURATIONS
    },
    # https://github.com/fluxcd/source-controller/blob/main/api/v1/gitrepository_types.go
    "source.toolkit.fluxcd.io:GitRepository": {"/spec/(interval|timeout)": DURATIONS},
    # https://github.com/fluxcd/helm-controller/blob/main/api/v2/helmrelease_types.go
    "helm.toolkit.fluxcd.io:HelmRelease": {
        "/spec/(interval|timeout|install/timeout|chart/spec/interval)": DURATIONS
    },
}
"""What kinds, with their group, declare of members by their pointers."""
_EMBEDDED = {f"/spec/(.+/)?template/spec{_CONTAINER}{_RESOURCES}": QUANTITIES}
"""What any custom resource declares with the template of a Pod."""

# https://pkg.go.dev/time#ParseDuration
_PART = re.compile(r"(\d{1,18}\.?\d{0,18}|\.\d{1,18})(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}


def without_same_values(
    patch: Iterable[PatchOperation], gvk: GroupVersionKind
) -> tuple[list[PatchOperation], dict[str, int]]:
    """Return the operations of *patch* that change values, and the number of others.

    *patch* is of an object of *gvk*. The others are counted by what they hold.
    """
    kept: list[PatchOperation] = []
    others: dict[str, int] = {}
    for step in patch:
        if held := _only_written(step, gvk):
            others[held] = others.get(held, 0) + 1
        else:
            kept.append(step)
    return kept, others


def _only_written(step: PatchOperation, gvk: GroupVersionKind) -> str:
    """Return what *step* writes differently, or "" if it changes more."""
    if step.op != "replace":
        return ""
    held = declared(gvk.group, gvk.kind, step.path)
    read = _READERS.get(held)
    if read is None:
        return ""
    old, new = read(step.old), read(step.value)
    return held if old is not None and old == new else ""


def declared(group: str, kind: str, path: str) -> str:
    """Return what the member at the pointer *path* holds, or "" if none is declared.

    >>> declared("apps", "Deployment", "/spec/strategy/rollingUpdate/maxSurge")
    'numbers as texts'
    """
    for pattern, held in _patterns(group, kind):
        if pattern.fullmatch(path):
            return held
    return ""


@lru_cache(256)
def _patterns(group: str, kind: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of pointers into an object, and what is there."""
    name = f"{group}:{kind}" if group else kind
    found = dict(_MEMBERS.get(name, {}))
    for kinds, spec in _PODS.items():
        if name in kinds.split():
            found |= {f"{spec}{path}": held for path, held in _POD.items()}
    if "." in group and not group.endswith(".k8s.io"):
        found |= _EMBEDDED
    return [
        (re.compile(path.replace("/*", "/[^/]+")), held) for path, held in found.items()
    ]


def _duration(value: JSON) -> Decimal | None:
    """Return the duration *value* in nanoseconds, or None.

    >>> _duration("1h0m0s") == _duration("60m"), _duration("1 hour")
    (True, None)
    """
    if not isinstance(value, str) or len(value) > 100:
        return None
    sign = -1 if value.startswith("-") else 1
    text = value[1:] if value[:1] in ("-", "+") else value
    parts = list(_PART.finditer(text))
    if text == "0":
        return Decimal(0)
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    with localcontext(EXACT):
        return sign * sum(
            (Decimal(each[1]) * _UNITS[each[2]] for each in parts), Decimal(0)
        )


def _number(value: JSON) -> int | None:
    """Return the number that an IntOrString holds, or None for a name or a share."""
    if type(value) is int:
        return value
    if isinstance(value, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,9}", value):
        return int(value)
    return None


_READERS = {QUANTITIES: quantity, DURATIONS: _duration, NUMBERS: _number}
