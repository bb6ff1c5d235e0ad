"""HorizontalPodAutoscaler: what it scales, and what keeps it from scaling.

https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.readiness.conditions import status_conditions
from kubectl_spy.core.remedy import Remedy, advice, kubectl

_AROUND = re.compile(
    r"the HPA (?:was unable to compute the replica count"
    r"|controller was unable to (?:get the target's current|update the target) scale): "
)
"""What the controller writes before the error, and its reason says as well.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go
"""


class _Target(NamedTuple):
    """What an autoscaler scales."""

    group: str
    kind: str
    name: str
    namespace: str | None


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the autoscaler is; what it scales stands under it."""
    found = generic.diagnose(entry, seen)
    target = _target(entry)
    messages = {
        f"condition/{each.type}": brief(each.message)
        for each in status_conditions(entry.document)
        if each.status == "False" and each.type in ("AbleToScale", "ScalingActive")
    }
    findings = tuple(
        _explained(each, messages[each.about], target)
        if each.about in messages
        else each
        for each in found.findings
    )
    return found._replace(
        verdict=worst([found.verdict, *(each.verdict for each in findings)])
        if messages
        else found.verdict,
        findings=findings,
        children=tuple(_children(entry, target, seen)),
    )


def _target(entry: Entry) -> _Target:
    target = mapping(entry.document, "spec", "scaleTargetRef")
    group = text(target, "apiVersion").rpartition("/")[0]
    return _Target(group, text(target, "kind"), text(target, "name"), entry.namespace)


def _children(entry: Entry, target: _Target, seen: Inventory) -> Iterator[Child]:
    scaled = seen.named(target.group, target.kind, entry.namespace, target.name)
    if scaled is not None:
        yield Child(scaled.uid, "what it scales")
    for owned in seen.owned(entry.uid):
        if scaled is None or owned.uid != scaled.uid:
            yield Child(owned.uid)


def _explained(finding: Finding, message: str, target: _Target) -> Finding:
    """Return *finding* with its cause first, and with what to do about it."""
    told = finding._replace(text=_AROUND.sub("", finding.text))
    for pattern, verdict, remedy in _CAUSES:
        if found := pattern.search(message):
            verdict = verdict or finding.verdict
            return told._replace(verdict=verdict, remedy=remedy(found, target))
    return told


_Remedy = Callable[["re.Match[str]", _Target], Remedy]


def _no_server(found: re.Match[str], target: _Target) -> Remedy:
    api, there = found[1], kubectl("get apiservices")
    if api == "metrics.k8s.io":
        return advice(
            "install or repair metrics-server, which serves {}: {}", api, there
        )
    return advice("install or repair an adapter that serves {}: {}", api, there)


def _no_request(found: re.Match[str], target: _Target) -> Remedy:
    asked = advice("resources.requests.{}", found[1])
    if not found[2]:
        return advice("set {} in the Pods of {}", asked, target.name)
    return advice(
        "set {} of container {} in {} {}", asked, found[2], target.kind, target.name
    )


def _no_target(found: re.Match[str], target: _Target) -> Remedy:
    return advice(
        "create {} {}, or correct spec.scaleTargetRef", target.kind, target.name
    )


def _no_kind(found: re.Match[str], target: _Target) -> Remedy:
    return advice("correct apiVersion and kind in spec.scaleTargetRef")


def _no_metrics(found: re.Match[str], target: _Target) -> Remedy:
    return kubectl("top pods", namespace=target.namespace)


def _at_zero(found: re.Match[str], target: _Target) -> Remedy:
    command = "scale {}/{} --replicas=1"
    return kubectl(command, target.kind, target.name, namespace=target.namespace)


def _shared(found: re.Match[str], target: _Target) -> Remedy:
    there = kubectl("get hpa", namespace=target.namespace)
    return advice("leave each Pod to one autoscaler: {}", there)


_UNSERVED = r"(?:find the requested resource|unable to handle the request) "
_CAUSES: tuple[tuple[re.Pattern[str], Verdict | None, _Remedy], ...] = (
    (
        re.compile(
            _UNSERVED + r"\(\w+ [^()\s]*?((?:custom\.|external\.)?metrics\.k8s\.io)\)"
        ),
        Verdict.FAILING,
        _no_server,
    ),
    (
        re.compile(r"no \w+ metrics API \(([\w.]+)\) registered"),
        Verdict.FAILING,
        _no_server,
    ),
    (
        re.compile(r"missing (?:pod-level )?request for (\S+) in (?:container (\S+))?"),
        Verdict.FAILING,
        _no_request,
    ),
    (re.compile(r"no matches for kind"), Verdict.FAILING, _no_kind),
    (re.compile(r'scale: \S+ "[^"]*" not found'), Verdict.FAILING, _no_target),
    (re.compile(r"are controlled by multiple HPAs"), Verdict.FAILING, _shared),
    (re.compile(r"no metrics returned|did not receive metrics"), None, _no_metrics),
    (re.compile(r"replica count of the target is zero"), None, _at_zero),
)
"""What a message says, how bad that is, and what to do."""
