"""Question 5: does the Service have an address that leads somewhere?

https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types
"""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, finding
from kubectl_spy.core.diagnosis.services.endpoints import is_of_endpoints
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, strings
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import mappings, number, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl


def addresses(entry: Entry) -> list[str]:
    """Return the addresses and names in `status.loadBalancer`."""
    ingress = mappings(entry.document, "status", "loadBalancer", "ingress")
    found = (text(each, "ip") or text(each, "hostname") for each in ingress)
    return [each for each in found if each]


def port_errors(entry: Entry) -> tuple[Fact, ...]:
    """Return the controller's errors about ports."""
    return tuple(
        fact(
            "LoadBalancerPortFailed",
            port=number(port, "port"),
            message=message_line(text(port, "error")),
        )
        for each in mappings(entry.document, "status", "loadBalancer", "ingress")
        for port in mappings(each, "ports")
        if text(port, "error")
    )


def progress(
    events: tuple[ClusterEvent, ...], counts: Callable[[ClusterEvent], bool]
) -> tuple[Verdict, dict[str, str]]:
    """Return the reason and message of the last Event that *counts*, as arguments.

    EnsuringLoadBalancer comes before every attempt, so it ends no failure.
    """
    relevant = [each for each in events if counts(each)]
    ends = [each for each in relevant if not each.reason.startswith("Ensuring")]
    for event in (ends or relevant)[-1:]:
        verdict = Verdict.FAILING if event.warning else Verdict.WAITING
        message = message_line(event.said)
        return verdict, {"reason": event.reason, "message": message}
    return Verdict.WAITING, {}


def of_address(service: SeenService) -> Finding:
    """Return the addresses of the Service, and what is missing."""
    about = "address"
    if service.headless:
        return finding("Headless", about)
    if not service.cluster_ips:
        return finding("ClusterIPAwaited", about)
    ports = tuple(map(str, service.ports))
    parts = [fact("ClusterAddress", ips=tuple(service.cluster_ips), ports=ports)]
    if nodes := tuple(str(it.node_port) for it in service.ports if it.node_port):
        parts.append(fact("NodePorts", ports=nodes))
    if outside := strings(service.spec, "externalIPs"):
        parts.append(fact("ExternalIPs", ips=tuple(outside)))
    verdict, remedy = Verdict.OK, NO_REMEDY
    if service.type == "LoadBalancer":
        verdict, balancer, remedy = _balancer(service)
        parts.append(balancer)
    parts += _policies(service)
    code = "ServiceAddress" if verdict is Verdict.OK else "ServiceAddressPending"
    return finding(code, about, parts=tuple(parts), verdict=verdict, remedy=remedy)


def _balancer(service: SeenService) -> tuple[Verdict, Fact, Remedy]:
    found = addresses(service.entry)
    describe = kubectl("describe service {}", service.name, namespace=service.namespace)
    if found:
        if wrong := port_errors(service.entry):
            return (
                Verdict.FAILING,
                fact("LoadBalancerPortError", errors=wrong),
                describe,
            )
        there = fact("LoadBalancerAddress", addresses=tuple(found))
        return Verdict.OK, there, NO_REMEDY
    events = service.seen.events(service.entry.uid)
    verdict, args = progress(events, lambda event: not is_of_endpoints(event.reason))
    if args:
        return verdict, fact("LoadBalancerPending", **args), describe
    name = message_line(text(service.spec, "loadBalancerClass"), 63)
    return (
        Verdict.WAITING,
        fact("LoadBalancerPending", name=name),
        advice(
            "if it stays so: does the cluster have such a controller "
            "(of a cloud, MetalLB)?"
        ),
    )


def _policies(service: SeenService) -> list[Fact]:
    parts = []
    nodes = tuple(sorted({each.node for each in service.receiving() if each.node}))
    outside = service.type in ("NodePort", "LoadBalancer")
    if outside and text(service.spec, "externalTrafficPolicy") == "Local":
        parts.append(fact("ExternalTrafficLocal", nodes=nodes))
    if text(service.spec, "internalTrafficPolicy") == "Local":
        parts.append(fact("InternalTrafficLocal", nodes=nodes))
    if text(service.spec, "sessionAffinity") == "ClientIP":
        parts.append(fact("SessionAffinity"))
    return parts
