"""HorizontalPodAutoscalers: the target, and what keeps one from scaling it.

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
"""The controller writes this before the error; the reason says the same.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go
"""


class _Target(NamedTuple):
    group: str
    kind: str
    name: str
    namespace: str | None


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the autoscaler. Its target is its child."""
    found = generic.diagnose(entry, inventory)
    reference = mapping(entry.document, "spec", "scaleTargetRef")
    target = _Target(
        text(reference, "apiVersion").rpartition("/")[0],
        text(reference, "kind"),
        text(reference, "name"),
        entry.namespace,
    )
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
    verdict = found.verdict
    if messages:
        verdict = worst([verdict, *(each.verdict for each in findings)])
    children = tuple(_children(entry, target, inventory))
    return found._replace(verdict=verdict, findings=findings, children=children)


def _children(entry: Entry, target: _Target, inventory: Inventory) -> Iterator[Child]:
    scaled = inventory.named(target.group, target.kind, entry.namespace, target.name)
    if scaled is not None:
        yield Child(scaled.uid, "what it scales")
    for owned in inventory.owned(entry.uid):
        if scaled is None or owned.uid != scaled.uid:
            yield Child(owned.uid)


def _explained(finding: Finding, message: str, target: _Target) -> Finding:
    """Return *finding* with its cause first, and with a remedy."""
    said = _AROUND.sub("", str(finding.args.get("message", "")))
    explained = finding._replace(args={**finding.args, "message": said})
    for pattern, verdict, remedy in _CAUSES:
        if found := pattern.search(message):
            verdict = verdict or finding.verdict
            return explained._replace(verdict=verdict, remedy=remedy(found, target))
    return explained


def _no_server(found: re.Match[str], target: _Target) -> Remedy:
    template = "install or repair an adapter that serves {}: {}"
    if found[1] == "metrics.k8s.io":
        template = "install or repair metrics-server, which serves {}: {}"
    return advice(template, found[1], kubectl("get apiservices"))


def _no_request(found: re.Match[str], target: _Target) -> Remedy:
    request = advice("resources.requests.{}", found[1])
    if not found[2]:
        return advice("set {} in the Pods of {}", request, target.name)
    return advice(
        "set {} of container {} in {} {}", request, found[2], target.kind, target.name
    )


def _at_zero(found: re.Match[str], target: _Target) -> Remedy:
    command = "scale {}/{} --replicas=1"
    return kubectl(command, target.kind, target.name, namespace=target.namespace)


_Remedy = Callable[["re.Match[str]", _Target], Remedy]
_FAILURES: dict[str, _Remedy] = {
    r"(?:find the requested resource|unable to handle the request) "
    r"\(\w+ [^()\s]*?((?:custom\.|external\.)?metrics\.k8s\.io)\)": _no_server,
    r"no \w+ metrics API \(([\w.]+)\) registered": _no_server,
    r"missing (?:pod-level )?request for (\S+) in (?:container (\S+))?": _no_request,
    r"no matches for kind": lambda *_: advice(
        "correct apiVersion and kind in spec.scaleTargetRef"
    ),
    r'scale: \S+ "[^"]*" not found': lambda _, target: advice(
        "create {} {}, or correct spec.scaleTargetRef", target.kind, target.name
    ),
    r"are controlled by multiple HPAs": lambda _, target: advice(
        "leave each Pod to one autoscaler: {}",
        kubectl("get hpa", namespace=target.namespace),
    ),
}
_DELAYS: dict[str, _Remedy] = {
    r"no metrics returned|did not receive metrics": lambda _, target: kubectl(
        "top pods", namespace=target.namespace
    ),
    r"replica count of the target is zero": _at_zero,
}
_CAUSES = (  # by message: the verdict, where it differs, and the remedy
    *((re.compile(each), Verdict.FAILING, to) for each, to in _FAILURES.items()),
    *((re.compile(each), None, to) for each, to in _DELAYS.items()),
)
