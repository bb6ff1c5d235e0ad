"""Question 5: does the Service have an address that leads somewhere?

https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types
"""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.services.endpoints import is_of_endpoints
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, strings
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import mappings, number, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.wording import plural


def addresses(entry: Entry) -> list[str]:
    """Return the addresses and names in `status.loadBalancer`."""
    ingress = mappings(entry.document, "status", "loadBalancer", "ingress")
    found = (text(each, "ip") or text(each, "hostname") for each in ingress)
    return [each for each in found if each]


def written(found: list[str]) -> str:
    """Return addresses as they are written in a sentence."""
    return message_line(listed(found, 4))


def port_errors(entry: Entry) -> list[str]:
    """Return the controller's errors about ports."""
    return [
        message_line(f"port {number(port, 'port')}: {text(port, 'error')}")
        for each in mappings(entry.document, "status", "loadBalancer", "ingress")
        for port in mappings(each, "ports")
        if text(port, "error")
    ]


def progress(
    events: tuple[ClusterEvent, ...], counts: Callable[[ClusterEvent], bool]
) -> tuple[Verdict, str]:
    """Return the message of the last Event that *counts*, or "".

    EnsuringLoadBalancer comes before every attempt, so it ends no failure.
    """
    told = [each for each in events if counts(each)]
    ends = [each for each in told if not each.reason.startswith("Ensuring")]
    for event in (ends or told)[-1:]:
        verdict = Verdict.FAILING if event.warning else Verdict.WAITING
        return verdict, message_line(f"{event.reason}: {event.said}")
    return Verdict.WAITING, ""


def finding(service: SeenService) -> Finding:
    """Return the addresses of the Service, and what is missing."""
    if service.headless:
        return said(
            "address",
            Verdict.OK,
            "headless: its name leads to the addresses of the Pods themselves",
        )
    if not service.cluster_ips:
        return said("address", Verdict.WAITING, "no cluster IP is allocated yet")
    ports = listed(map(str, service.ports))
    named = plural(len(service.ports), "port")
    parts = [f"{listed(service.cluster_ips)} {named} {ports}"]
    if nodes := [each.node_port for each in service.ports if each.node_port]:
        named = plural(len(nodes), "node port")
        parts.append(f"{named} {listed(map(str, nodes))}")
    if outside := strings(service.spec, "externalIPs"):
        parts.append(f"externalIPs {listed(outside)}")
    verdict, remedy = Verdict.OK, NO_REMEDY
    if service.type == "LoadBalancer":
        verdict, balancer, remedy = _balancer(service)
        parts.append(balancer)
    parts += _policies(service)
    return said("address", verdict, "; ".join(map(message_line, parts)), remedy)


def _balancer(service: SeenService) -> tuple[Verdict, str, Remedy]:
    found = addresses(service.entry)
    describe = kubectl("describe service {}", service.name, namespace=service.namespace)
    if found:
        if wrong := port_errors(service.entry):
            return Verdict.FAILING, f"load balancer {listed(wrong)}", describe
        return Verdict.OK, f"load balancer {written(found)}", NO_REMEDY
    events = service.seen.events(service.entry.uid)
    verdict, told = progress(events, lambda event: not is_of_endpoints(event.reason))
    if told:
        return verdict, f"no load balancer yet: {told}", describe
    who = "no controller has provisioned one"
    if whose := text(service.spec, "loadBalancerClass"):
        who = f"no controller of class {message_line(whose, 63)} has"
    return (
        Verdict.WAITING,
        f"no load balancer yet: {who}",
        advice(
            "if it stays so: does the cluster have such a controller "
            "(of a cloud, MetalLB)?"
        ),
    )


def _policies(service: SeenService) -> list[str]:
    parts = []
    nodes = sorted({each.node for each in service.receiving() if each.node})
    where = written(nodes) if nodes else "no node"
    outside = service.type in ("NodePort", "LoadBalancer")
    if outside and text(service.spec, "externalTrafficPolicy") == "Local":
        parts.append(f"externalTrafficPolicy Local: from outside {where} answers")
    if text(service.spec, "internalTrafficPolicy") == "Local":
        parts.append(f"internalTrafficPolicy Local: only {where} gets through")
    if text(service.spec, "sessionAffinity") == "ClientIP":
        parts.append("each client stays with one Pod")
    return parts
