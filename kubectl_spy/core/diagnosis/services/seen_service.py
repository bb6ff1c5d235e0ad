"""A Service, the Pods that it selects, and its EndpointSlices.

https://kubernetes.io/docs/concepts/services-networking/service/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.services.slices import (
    Endpoint,
    SeenSlice,
    protocol_of,
    slices_of,
)
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON


class ServicePort(NamedTuple):
    """A port of a Service, and its target port."""

    name: str
    number: int
    protocol: str
    target: int | str  # the target port, as a number or a name
    node_port: int
    app_protocol: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.number}/{self.protocol}".strip()


class SeenService:
    """A Service, its Pods and its EndpointSlices."""

    def __init__(self, entry: Entry, seen: Inventory) -> None:
        self.entry = entry
        self.seen = seen
        self.spec = mapping(entry.document, "spec")
        self.namespace = entry.namespace
        self.name = entry.name
        self.type = text(self.spec, "type") or "ClusterIP"
        self.external = self.type == "ExternalName"
        self.headless = text(self.spec, "clusterIP") == "None"
        self.selector = {} if self.external else labels_of(self.spec, "selector")
        self.ports = tuple(map(_port, mappings(self.spec, "ports")))
        first = {family: place for place, family in enumerate(self.families)}
        self.slices = sorted(
            slices_of(seen, entry.namespace, entry.name),
            key=lambda each: first.get(each.family, len(first)),
        )
        self.pods: tuple[Entry, ...] = ()  # the Pods that it selects
        if self.selector:
            self.pods = tuple(seen.labelled("Pod", entry.namespace, self.selector))

    @property
    def kind_of_address(self) -> str:
        """Its type, or headless."""
        return "headless" if self.headless else self.type

    @property
    def cluster_ips(self) -> tuple[str, ...]:
        """Its addresses inside the cluster."""
        found = strings(self.spec, "clusterIPs") or (text(self.spec, "clusterIP"),)
        return tuple(each for each in found if each not in ("", "None"))

    @property
    def families(self) -> tuple[str, ...]:
        """IPv4, IPv6, or both."""
        return strings(self.spec, "ipFamilies")

    @property
    def takes_unready(self) -> bool:
        """Whether unready Pods get traffic, too."""
        return self.spec.get("publishNotReadyAddresses") is True

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoints of all its EndpointSlices."""
        return tuple(each for one in self.slices for each in one.endpoints)

    def receiving(self, port: ServicePort | None = None) -> Iterator[Endpoint]:
        """Yield the endpoints that get the traffic of *port*, or of any port.

        A ready endpoint may be in a slice without a port of the Service: the controller
        omits a named port that the Pod lacks, and slices written by hand may have other
        names.
        """
        ports = self.ports if port is None else (port,)
        for one in self.slices:
            if (
                self.headless
                or not ports
                or any(self.leads(each, one) for each in ports)
            ):
                yield from (each for each in one.endpoints if each.ready)

    def leads(self, port: ServicePort, to: SeenSlice) -> bool:
        """Return whether *port* leads to the endpoints of a slice."""
        return self.reaches(to) and to.leads_from(port.name, port.protocol)

    def reaches(self, one: SeenSlice) -> bool:
        """Return whether the Service has an address of the slice's family."""
        return not self.families or one.family in self.families


def labels_of(document: JSON, *steps: str) -> dict[str, str]:
    """Return the labels at the path *steps*, or of the object itself without steps."""
    found = mapping(document, *(steps or ("metadata", "labels")))
    return {key: value for key, value in found.items() if isinstance(value, str)}


def strings(document: JSON, *steps: str) -> tuple[str, ...]:
    """Return the strings in the list at the path *steps*, or ()."""
    *above, last = steps
    found = mapping(document, *above).get(last)
    if not isinstance(found, list):
        return ()
    return tuple(each for each in found if isinstance(each, str))


def _port(document: dict[str, JSON]) -> ServicePort:
    its_number = number(document, "port")
    target = document.get("targetPort")
    if type(target) is not int and not (isinstance(target, str) and target):
        target = its_number
    if isinstance(target, str) and target.isascii() and target.isdecimal():
        target = int(target[:5])
    return ServicePort(
        name=text(document, "name"),
        number=its_number,
        protocol=protocol_of(document),
        target=target,
        node_port=number(document, "nodePort"),
        app_protocol=text(document, "appProtocol"),
    )
