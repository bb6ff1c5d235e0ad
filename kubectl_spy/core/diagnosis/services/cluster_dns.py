"""Question 4: does the name of the Service resolve?

https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
"""

from __future__ import annotations

import re
from collections import Counter

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, labels_of
from kubectl_spy.core.diagnosis.services.slices import GROUP, slices_of
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import text
from kubectl_spy.core.remedy import NO_REMEDY, advice, kubectl
from kubectl_spy.core.wording import many

_NAMESPACE = "kube-system"
_LABELS = "k8s-app=kube-dns"
_IPV4 = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}\.?", re.ASCII)


def finding(service: SeenService) -> Finding:
    """Return the DNS name, and whether the cluster's DNS answers."""
    name = f"{service.name}.{service.namespace or 'default'}.svc.cluster.local"
    what = f"{name} by default"
    if service.external:
        target = text(service.spec, "externalName")
        if _IPV4.fullmatch(target) or ":" in target:
            return Finding(
                "dns",
                Verdict.FAILING,
                f"externalName {message_line(target)} is an address: it is taken for a "
                "name, and does not resolve",
                advice("use a Service without a selector, and an EndpointSlice"),
            )
        what = f"{name} (by default) is an alias of {message_line(target)}"
    verdict, state = _server(service.seen)
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        remedy = kubectl("get pods -l {}", _LABELS, namespace=_NAMESPACE)
    return Finding("dns", verdict, f"{what}; {state}", remedy)


def _server(seen: Inventory) -> tuple[Verdict, str]:
    """Return whether the cluster's DNS answers, as far as the API shows."""
    servers = [
        each
        for each in seen.every("", "Service", _NAMESPACE)
        if labels_of(each.document).get("k8s-app") == "kube-dns"
    ]
    if not servers:
        why = seen.unseen("", "Service", _NAMESPACE, _LABELS)
        if why:
            return Verdict.UNKNOWN, f"the cluster's DNS is unknown: {why}"
        return Verdict.UNKNOWN, (
            "no Service in kube-system has k8s-app=kube-dns; the cluster's DNS may "
            "be elsewhere"
        )
    ready = {each.name: _ready(each, seen) for each in servers}
    name = max(ready, key=lambda each: ready[each])
    if ready[name]:
        return Verdict.OK, f"{name} has {many(ready[name], 'ready endpoint')}"
    why = seen.unseen(GROUP, "EndpointSlice", _NAMESPACE, _LABELS)
    if why:
        return Verdict.UNKNOWN, f"endpoints of {name} are unknown: {why}"
    return Verdict.FAILING, f"{name} in kube-system has no ready endpoint"


def _ready(server: Entry, seen: Inventory) -> int:
    slices = slices_of(seen, server.namespace, server.name)
    # A server with two address families is in two EndpointSlices.
    families: Counter[str] = Counter()
    for one in slices:
        families[one.family] += sum(each.ready for each in one.endpoints)
    return max(families.values(), default=0)
