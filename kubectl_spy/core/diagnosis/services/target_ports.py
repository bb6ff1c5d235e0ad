"""Question 3 as well: does each port of a Service lead to a port of its Pods?

A named target port must be declared by a container. A number need not be. The nodes'
proxies find the port of an EndpointSlice by the name of the Service's port.
https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, stating
from kubectl_spy.core.diagnosis.pods import probes
from kubectl_spy.core.diagnosis.pods.probes import REFUSED
from kubectl_spy.core.diagnosis.pods.seen_pod import SeenPod
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, ServicePort
from kubectl_spy.core.diagnosis.services.slices import CONTROLLER, protocol_of
from kubectl_spy.core.fields import mappings, number, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl


class ContainerPort(NamedTuple):
    """A port that a container declares."""

    container: str
    name: str
    number: int
    protocol: str

    def __str__(self) -> str:
        return f"{self.name} {self.number}/{self.protocol}".strip()


def findings(service: SeenService) -> Iterator[Finding]:
    """Yield findings about the ports that lead nowhere."""
    pods = [each for each in service.pods if not each.replaced]
    declared = [(pod, list(container_ports(pod))) for pod in pods]
    for port in service.ports:
        found = None
        if isinstance(port.target, str):
            found = _named(service, port, port.target, declared)
        elif pods:
            found = _numbered(service, port, port.target, declared)
        if found is None or found.verdict is Verdict.OK:
            found = _unlisted(service, port) or found
        if found is not None:
            yield found


def container_ports(pod: Entry) -> Iterator[ContainerPort]:
    """Yield the declared ports of the containers of *pod*, sidecars last.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
    """
    sidecars = [
        each
        for each in mappings(pod.document, "spec", "initContainers")
        if text(each, "restartPolicy") == "Always"
    ]
    for container in (*mappings(pod.document, "spec", "containers"), *sidecars):
        for port in mappings(container, "ports"):
            yield ContainerPort(
                text(container, "name"),
                text(port, "name"),
                number(port, "containerPort"),
                protocol_of(port),
            )


def _named(
    service: SeenService,
    port: ServicePort,
    name: str,
    declared: list[tuple[Entry, list[ContainerPort]]],
) -> Finding | None:
    without = [
        (pod, ports)
        for pod, ports in declared
        if not any(
            each.name == name and each.protocol == port.protocol for each in ports
        )
    ]
    if not without:
        return None
    pod, ports = without[0]
    for each in ports:
        if each.name == name:
            of = fact(
                "PortProtocolDiffers",
                port=str(port),
                target=name,
                container=each.container,
                protocol=each.protocol,
            )
            return _found(service, port, of)
    of = fact(
        "TargetPortUnknown",
        port=str(port),
        target=name,
        pod="" if len(without) == len(declared) else pod.name,
        there=tuple(dict.fromkeys(map(str, ports))),
    )
    return _found(service, port, of)


def _numbered(
    service: SeenService,
    port: ServicePort,
    target: int,
    declared: list[tuple[Entry, list[ContainerPort]]],
) -> Finding | None:
    every = [each for _, ports in declared for each in ports]
    if any(each.number == target and each.protocol == port.protocol for each in every):
        return None
    refused = _is_refused(service, port, target, [pod for pod, _ in declared])
    if not every and not refused:
        return None
    of = fact(
        "TargetPortRefuses" if refused else "TargetPortUndeclared",
        port=str(port),
        target=target,
        protocol=port.protocol,
        there=tuple(dict.fromkeys(map(str, every))),
    )
    return _found(service, port, of)


def _is_refused(
    service: SeenService, port: ServicePort, target: int, pods: list[Entry]
) -> bool:
    """Return whether nothing listens there, by our probe or the kubelet's."""
    answer = service.seen.probed(service.entry.uid).get((port.number, port.protocol))
    if answer is not None and answer.answers is not None:
        return not answer.answers and REFUSED in answer.what
    seen = service.seen
    return any(probes.refuses(SeenPod.of(pod, seen), target) for pod in pods)


def _unlisted(service: SeenService, port: ServicePort) -> Finding | None:
    """Return that no EndpointSlice has a port of that name and protocol.

    The endpoint slice controller corrects its own slices.
    """
    slices = [
        each
        for each in service.slices
        if service.reaches(each) and any(one.ready for one in each.endpoints)
    ]
    if service.headless or any(service.leads(port, each) for each in slices):
        return None
    if not slices:
        return None
    first = slices[0]
    of = fact(
        "PortUnlisted",
        port=str(port),
        slice=first.entry.name,
        there=tuple(map(str, first.ports)),
    )
    if all(each.manager == CONTROLLER for each in slices):
        return _found(service, port, of, Verdict.WAITING, NO_REMEDY)
    edit = kubectl(
        "edit endpointslice {}", first.entry.name, namespace=service.namespace
    )
    wanted = advice("named {}", port.name) if port.name else advice("without a name")
    remedy = advice("it takes a {} port {}: {}", port.protocol, wanted, edit)
    return _found(service, port, of, remedy=remedy)


def _found(
    service: SeenService,
    port: ServicePort,
    of: Fact,
    verdict: Verdict | None = None,
    remedy: Remedy | None = None,
) -> Finding:
    about = f"port/{port.number}/{port.protocol}"
    edit = kubectl("edit service {}", service.name, namespace=service.namespace)
    if remedy is None:
        remedy = advice("correct targetPort: {}", edit)
    return stating(of, about, verdict=verdict, remedy=remedy)
