"""Question 3, too: does each port of a Service lead to a port of its Pods.

The name of a port has to be one of a container; a number need not be declared.
https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.fields import mappings, number, text
from kubectl_spy.core.remedy import advice, kubectl
from kubectl_spy.core.trace.inventory import Entry
from kubectl_spy.core.trace.kinds.pod_states import is_replaced
from kubectl_spy.core.trace.picture import Finding, Verdict
from kubectl_spy.core.trace.services.seen_service import SeenService, ServicePort
from kubectl_spy.core.trace.services.slices import protocol_of
from kubectl_spy.core.trace.wording import listed, one_line


class ContainerPort(NamedTuple):
    """A port that a container declares."""

    container: str
    name: str
    number: int
    protocol: str

    def __str__(self) -> str:
        return f"{self.name} {self.number}/{self.protocol}".strip()


def findings(service: SeenService) -> Iterator[Finding]:
    """Yield what there is to say of its ports: nothing of one that leads to a port."""
    pods = [each for each in service.pods if not is_replaced(each)]
    if not pods:
        return
    declared = [(pod, list(container_ports(pod))) for pod in pods]
    for port in service.ports:
        if isinstance(port.target, str):
            found = _named(service, port, port.target, declared)
        else:
            found = _numbered(service, port, port.target, declared)
        if found is not None:
            yield found


def container_ports(pod: Entry) -> Iterator[ContainerPort]:
    """Yield the ports that the containers of *pod* declare, its sidecars' last.

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
            return _found(
                service,
                port,
                Verdict.FAILING,
                f"port {port} leads to {name}, which container {each.container} has "
                f"as {each.protocol}",
            )
    whose = "no container" if len(without) == len(declared) else f"none of {pod.name}"
    there = listed(dict.fromkeys(map(str, ports)))
    have = f"they have {there}" if there else "they declare no port"
    return _found(
        service,
        port,
        Verdict.FAILING,
        f"port {port} leads to {name}, a port that {whose} has: {have}",
    )


def _numbered(
    service: SeenService,
    port: ServicePort,
    target: int,
    declared: list[tuple[Entry, list[ContainerPort]]],
) -> Finding | None:
    every = [each for _, ports in declared for each in ports]
    if not every or any(
        each.number == target and each.protocol == port.protocol for each in every
    ):
        return None
    there = listed(dict.fromkeys(map(str, every)))
    return _found(
        service,
        port,
        Verdict.OK,
        f"port {port} leads to {target}/{port.protocol}, which no container declares "
        f"(they declare {there}): it works if one listens there",
    )


def _found(
    service: SeenService, port: ServicePort, verdict: Verdict, what: str
) -> Finding:
    about = f"port/{port.number}/{port.protocol}"
    remedy = kubectl("edit service {}", service.name, namespace=service.namespace)
    return Finding(
        about, verdict, one_line(what), advice("correct targetPort: {}", remedy)
    )
