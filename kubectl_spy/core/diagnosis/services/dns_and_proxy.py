"""Questions 4 and 6: does its name resolve, and do the nodes run a Service proxy?

https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
https://kubernetes.io/docs/reference/networking/virtual-ips/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, finding
from kubectl_spy.core.diagnosis.kinds.pod import unready
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, labels_of
from kubectl_spy.core.diagnosis.services.slices import GROUP, slices_of
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import condition, text
from kubectl_spy.core.remedy import NO_REMEDY, kubectl
from kubectl_spy.findings import code_of

_NAMESPACE = "kube-system"
_LABELS = "k8s-app=kube-dns"
_IPV4 = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}\.?", re.ASCII)


def dns(service: SeenService) -> Finding:
    """Return the DNS name, and whether the cluster's DNS answers."""
    name = f"{service.name}.{service.namespace or 'default'}.svc.cluster.local"
    target = ""
    if service.external:
        target = message_line(text(service.spec, "externalName"))
        if _IPV4.fullmatch(target) or ":" in target:
            return finding("ExternalNameIsAddress", "dns", target=target)
    state = _server(service.seen)
    verdict = code_of(state.code).verdict
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        remedy = kubectl("get pods -l {}", _LABELS, namespace=_NAMESPACE)
    return finding(
        "ServiceNameUnresolved" if verdict is Verdict.FAILING else "ServiceName",
        "dns",
        name=name,
        target=target,
        state=state,
        verdict=verdict,
        remedy=remedy,
    )


def _server(seen: Inventory) -> Fact:
    """Return whether the cluster's DNS answers, as far as the API shows."""
    servers = [
        each
        for each in seen.every("", "Service", _NAMESPACE)
        if labels_of(each.document).get("k8s-app") == "kube-dns"
    ]
    if not servers:
        why = seen.unseen("", "Service", _NAMESPACE, _LABELS)
        return fact("DNSUnseen", why=why) if why else fact("DNSElsewhere")
    ready = {each.name: _ready(each, seen) for each in servers}
    name = max(ready, key=lambda each: ready[each])
    if ready[name]:
        return fact("DNSReady", server=name, endpoints=ready[name])
    why = seen.unseen(GROUP, "EndpointSlice", _NAMESPACE, _LABELS)
    if why:
        return fact("DNSEndpointsUnseen", server=name, why=why)
    return fact("DNSDown", server=name)


def _ready(server: Entry, seen: Inventory) -> int:
    slices = slices_of(seen, server.namespace, server.name)
    # A server with two address families is in two EndpointSlices.
    families: Counter[str] = Counter()
    for one in slices:
        families[one.family] += sum(each.ready for each in one.endpoints)
    return max(families.values(), default=0)


_OTHER_PROXY = "service.kubernetes.io/service-proxy-name"
"""A Service with this label is left to another proxy than kube-proxy."""


class _Proxy(NamedTuple):
    name: str
    labels: tuple[tuple[str, str], ...]  # labels of its Pods, any of which is enough


_KUBE_PROXY = _Proxy(
    "kube-proxy", (("k8s-app", "kube-proxy"), ("component", "kube-proxy"))
)
_REPLACEMENTS = (  # proxies that can replace kube-proxy
    _Proxy("anetd", ()),  # GKE's own Cilium; its Pods have Cilium's label
    _Proxy("cilium", (("k8s-app", "cilium"),)),
    _Proxy("kube-router", (("k8s-app", "kube-router"),)),
    _Proxy("antrea-agent", (("component", "antrea-agent"),)),
    _Proxy("ovnkube-node", (("app", "ovnkube-node"),)),
)


def proxy(service: SeenService) -> Finding:
    """Return whether every Ready node has a proxy, as far as the API shows."""
    other = labels_of(service.entry.document).get(_OTHER_PROXY)
    about = "proxy"
    if other:
        named = message_line(other)
        return finding("ProxyElsewhere", about, proxy=named, label=_OTHER_PROXY)
    seen = service.seen
    name, pods = _proxies(seen)
    if not pods:
        why = seen.unseen("", "Pod", _NAMESPACE)
        if why:
            return finding("ProxiesUnseen", about, why=why)
        return finding("NoProxyPods", about)
    why = seen.unseen("", "Node")
    if why:
        return finding("ProxyNodesUnseen", about, proxy=name, why=why)
    nodes = [each for each in seen.every("", "Node") if _is_expected(each)]
    return _judged(name, nodes, pods, seen)


def _judged(
    name: str, nodes: list[Entry], pods: dict[str, Entry], seen: Inventory
) -> Finding:
    without = [each.name for each in nodes if each.name not in pods]
    kept = {
        each.name: why
        for each in nodes
        if each.name in pods and (why := unready(pods[each.name], seen)) is not None
    }
    fine = len(nodes) - len(without) - len(kept)
    verdicts = [each.verdict for each in kept.values()]
    if without:
        verdicts.append(Verdict.FAILING)
    return finding(
        "ProxyLacking" if verdicts else "ProxyRuns",
        "proxy",
        proxy=name,
        fine=fine,
        nodes=len(nodes),
        without=tuple(without),
        kept=tuple(kept),
        why=next(iter(kept.values())).fact if kept else None,
        verdict=worst(verdicts),
        remedy=kubectl("get pods -o wide", namespace=_NAMESPACE),
    )


def _proxies(seen: Inventory) -> tuple[str, dict[str, Entry]]:
    """Return the Pods of kube-proxy, or else of a replacement, by node."""
    pods = [each for each in seen.every("", "Pod", _NAMESPACE) if not each.replaced]
    for proxy in (_KUBE_PROXY, *_REPLACEMENTS):
        is_one = _is_of(proxy)
        found: dict[str, Entry] = {}
        for each in pods:
            node = text(each.document, "spec", "nodeName")
            # During an update a node may have two.
            if node and is_one(each) and (node not in found or is_ready(each)):
                found[node] = each
        if found:
            return proxy.name, found
    return "", {}


def _is_of(proxy: _Proxy) -> Callable[[Entry], bool]:
    def is_one(pod: Entry) -> bool:
        labels = labels_of(pod.document)
        if any(labels.get(key) == value for key, value in proxy.labels):
            return True
        prefix = f"{proxy.name}-"
        # The name is like kube-proxy-x7k2p. cilium-operator-… does not match.
        return pod.name.startswith(prefix) and "-" not in pod.name[len(prefix) :]

    return is_one


def _is_expected(node: Entry) -> bool:
    """Return whether a Ready node needs a proxy Pod. On some the proxy is no Pod."""
    if condition(node.document, "Ready").get("status") != "True":
        return False
    labels = labels_of(node.document)
    return not (
        labels.get("kubernetes.io/os") == "windows"
        or labels.get("type") == "virtual-kubelet"
        or labels.get("eks.amazonaws.com/compute-type") == "fargate"
    )
