"""The cells of Services, Ingresses, endpoints and Nodes."""

from __future__ import annotations

from kubectl_spy.core.fields import condition, mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Object,
    some,
)

_ROLE = "node-role.kubernetes.io/"


def external_ip(service: Object, now: float) -> JSON:
    kind = text(service, "spec", "type")
    if kind == "ExternalName":
        return text(service, "spec", "externalName")
    if kind not in ("ClusterIP", "NodePort", "LoadBalancer"):
        return UNKNOWN
    given = mapping(service, "spec").get("externalIPs")
    addresses = [str(each) for each in given] if isinstance(given, list) else []
    if kind != "LoadBalancer":
        return ",".join(addresses) or NONE
    return ",".join([*_ingress_points(service), *addresses]) or "<pending>"


def ports(service: Object, now: float) -> JSON:
    shown = []
    for each in mappings(service, "spec", "ports"):
        node = number(each, "nodePort")
        number_of = f"{number(each, 'port')}:{node}" if node else number(each, "port")
        shown.append(f"{number_of}/{text(each, 'protocol')}")
    return ",".join(shown) or NONE


def hosts(ingress: Object, now: float) -> JSON:
    rules = mappings(ingress, "spec", "rules")
    named = [text(each, "host") for each in rules if each.get("host")]
    return some(named, "*", len(rules))


def address(ingress: Object, now: float) -> JSON:
    return ",".join(_ingress_points(ingress))


def ingress_ports(ingress: Object, now: float) -> JSON:
    return "80, 443" if mapping(ingress, "spec").get("tls") else "80"


def _ingress_points(item: Object) -> list[str]:
    points = mappings(item, "status", "loadBalancer", "ingress")
    found = {text(each, "ip") or text(each, "hostname") for each in points}
    return sorted(found - {""})


def endpoints(item: Object, now: float) -> JSON:
    found = []
    for subset in mappings(item, "subsets"):
        addresses = [text(each, "ip") for each in mappings(subset, "addresses")]
        listening = [number(each, "port") for each in mappings(subset, "ports")]
        if not listening:
            found += addresses
        found += [f"{_bracketed(a)}:{port}" for port in listening for a in addresses]
    return some(found, "" if mappings(item, "subsets") else NONE)


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def slice_ports(item: Object, now: float) -> JSON:
    found = [
        str(each["port"]) if "port" in each else text(each, "name") or "*"
        for each in mappings(item, "ports")
    ]
    return some(found, UNSET)


def slice_endpoints(item: Object, now: float) -> JSON:
    found: list[str] = []
    for each in mappings(item, "endpoints"):
        addresses = each.get("addresses")
        found += map(str, addresses if isinstance(addresses, list) else [])
    return some(found, UNSET)


def node_status(node: Object, now: float) -> JSON:
    ready = condition(node, "Ready")
    shown = "Ready" if ready.get("status") == "True" else "NotReady"
    status = [shown if ready else "Unknown"]
    if mapping(node, "spec").get("unschedulable") is True:
        status.append("SchedulingDisabled")
    return ",".join(status)


def node_roles(node: Object, now: float) -> JSON:
    labels = mapping(node, "metadata", "labels")
    roles = {each.removeprefix(_ROLE) for each in labels if each.startswith(_ROLE)}
    roles.add(str(labels.get("kubernetes.io/role", "")))
    return ",".join(sorted(roles - {""})) or NONE


def internal_ip(node: Object, now: float) -> JSON:
    return _address(node, "InternalIP")


def node_external_ip(node: Object, now: float) -> JSON:
    return _address(node, "ExternalIP")


def _address(node: Object, kind: str) -> str:
    found = (
        text(each, "address")
        for each in mappings(node, "status", "addresses")
        if each.get("type") == kind
    )
    return next(found, NONE)


def kernel(node: Object, now: float) -> JSON:
    shown = text(node, "status", "nodeInfo", "kernelVersion") or UNKNOWN
    architecture = text(node, "status", "nodeInfo", "architecture")
    return f"{shown} ({architecture})" if architecture else shown
