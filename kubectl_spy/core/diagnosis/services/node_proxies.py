"""Question 6: do the nodes run a Service proxy?

https://kubernetes.io/docs/reference/networking/virtual-ips/
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.pod import unready
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready, is_replaced
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, labels_of
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import condition, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, kubectl

_NAMESPACE = "kube-system"
_OTHER_PROXY = "service.kubernetes.io/service-proxy-name"
"""A Service with this label is left to another proxy than kube-proxy."""


class _Proxy(NamedTuple):
    name: str
    labels: tuple[tuple[str, str], ...]  # labels of its Pods, any of which is enough


_KUBE_PROXY = _Proxy(
    "kube-proxy", (("k8s-app", "kube-proxy"), ("component", "kube-proxy"))
)
_REPLACEMENTS = (
    _Proxy("anetd", ()),  # GKE's own Cilium; its Pods have Cilium's label
    _Proxy("cilium", (("k8s-app", "cilium"),)),
    _Proxy("kube-router", (("k8s-app", "kube-router"),)),
    _Proxy("antrea-agent", (("component", "antrea-agent"),)),
    _Proxy("ovnkube-node", (("app", "ovnkube-node"),)),
)
"""The proxies that can replace kube-proxy."""


def finding(service: SeenService) -> Finding:
    """Return whether every Ready node has a proxy, as far as the API shows."""
    other = labels_of(service.entry.document).get(_OTHER_PROXY)
    if other:
        what = f"kube-proxy leaves it to {message_line(other)} (label {_OTHER_PROXY})"
        return _found(Verdict.UNKNOWN, what)
    seen = service.seen
    name, pods = _proxies(seen)
    if not pods:
        why = seen.unseen("", "Pod", _NAMESPACE)
        if why:
            return _found(Verdict.UNKNOWN, f"the nodes' proxies are unknown: {why}")
        what = "no kube-proxy among the Pods of kube-system"
        note = "k3s and others build it in, and the API does not show it"
        return _found(Verdict.UNKNOWN, f"{what}; {note}")
    why = seen.unseen("", "Node")
    if why:
        what = f"{name} runs; whether on every node is unknown: {why}"
        return _found(Verdict.UNKNOWN, what)
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
    parts = [f"{name} runs on {fine} of {len(nodes)} Ready nodes"]
    verdicts = [each.verdict for each in kept.values()]
    if without:
        parts.append(f"none on {_some(without)}")
        verdicts.append(Verdict.FAILING)
    if kept:
        first = next(iter(kept.values()))
        parts.append(f"not ready on {_some(list(kept))}: {first.text}")
    remedy = kubectl("get pods -o wide", namespace=_NAMESPACE)
    return _found(worst(verdicts), "; ".join(parts), remedy)


def _proxies(seen: Inventory) -> tuple[str, dict[str, Entry]]:
    """Return the Pods of kube-proxy, or else of a replacement, by node."""
    pods = [each for each in seen.every("", "Pod", _NAMESPACE) if not is_replaced(each)]
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


def _some(names: list[str]) -> str:
    return message_line(listed(names, 3))


def _found(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return Finding("proxy", verdict, what, remedy)
