"""Reads EndpointSlices: the addresses behind a Service.

https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import flag, mapping, mappings, number, text

GROUP = "discovery.k8s.io"
CONTROLLER = "endpointslice-controller.k8s.io"
_SERVICE = "kubernetes.io/service-name"  # the label with the name of the Service
_SHOWN = 3  # the most addresses to print


class Endpoint(NamedTuple):
    """One endpoint of an EndpointSlice."""

    addresses: tuple[str, ...]  # of one endpoint; the first one is used
    ready: bool  # whether it gets traffic
    serving: bool  # whether it could take traffic, also while terminating
    terminating: bool
    kind: str  # the kind of its object: Pod, or ""
    name: str
    uid: str
    node: str

    @property
    def target(self) -> str:
        """The uid of its object, or the name without a uid."""
        return self.uid or self.name

    @property
    def address(self) -> str:
        """The address that is used."""
        return self.addresses[0] if self.addresses else "no address"


class SlicePort(NamedTuple):
    """A port that an EndpointSlice has."""

    name: str
    number: int  # the port number, or 0, which leads nowhere
    protocol: str

    def __str__(self) -> str:
        return f"{self.name} {self.number}/{self.protocol}".strip()


class SeenSlice(NamedTuple):
    """One EndpointSlice."""

    entry: Entry
    family: str  # IPv4, IPv6 or FQDN
    ports: tuple[SlicePort, ...]
    endpoints: tuple[Endpoint, ...]
    manager: str  # what writes it, by its label

    def place(self, endpoint: Endpoint) -> str:
        """Return the address of *endpoint*, with the port if there is only one."""
        address = endpoint.address
        numbers = {each.number for each in self.ports}
        if len(numbers) != 1:
            return address
        host = f"[{address}]" if ":" in address else address
        return f"{host}:{numbers.pop()}"

    def leads_from(self, name: str, protocol: str) -> bool:
        """Return whether a port of a Service leads to a port of this slice.

        Proxies compare name and protocol. The only port of a Service may have no name.
        https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/proxy/endpointslicecache.go
        """
        return any(
            each.number and (each.name, each.protocol) == (name, protocol)
            for each in self.ports
        )


def slices_of(
    seen: Inventory, namespace: str | None, service: str
) -> tuple[SeenSlice, ...]:
    """Return the EndpointSlices of the Service of that name."""
    return tuple(
        read_slice(each)
        for each in seen.labelled("EndpointSlice", namespace, {_SERVICE: service})
    )


def service_of(entry: Entry) -> str:
    """Return the name of the Service of an EndpointSlice, or ""."""
    return text(entry.document, "metadata", "labels", _SERVICE)


def read_slice(entry: Entry) -> SeenSlice:
    """Return an EndpointSlice.

    Missing conditions mean ready and not terminating.
    https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/
    """
    document = entry.document
    return SeenSlice(
        entry=entry,
        family=text(document, "addressType"),
        ports=tuple(
            SlicePort(text(each, "name"), number(each, "port"), protocol_of(each))
            for each in mappings(document, "ports")
        ),
        endpoints=tuple(map(_endpoint, mappings(document, "endpoints"))),
        manager=text(
            document, "metadata", "labels", "endpointslice.kubernetes.io/managed-by"
        ),
    )


def protocol_of(port: object) -> str:
    """Return the protocol of a port, by default TCP."""
    return text(port, "protocol") or "TCP"


def places(slices: Iterable[SeenSlice], wanted: Iterable[Endpoint]) -> str:
    """Return the addresses of the first endpoints, and how many more there are."""
    wanted = list(wanted)
    found = [
        slice_.place(each)
        for slice_ in slices
        for each in slice_.endpoints
        if any(each is one for one in wanted[:_SHOWN])
    ]
    if len(wanted) > _SHOWN:
        found.append(f"{len(wanted) - _SHOWN} more")
    return message_line(listed(found))


def _endpoint(document: dict[str, object]) -> Endpoint:
    found = document.get("addresses")
    addresses = found if isinstance(found, list) else []
    conditions = mapping(document, "conditions")
    ready = flag(conditions, "ready") is not False
    serving = flag(conditions, "serving")
    return Endpoint(
        addresses=tuple(each for each in addresses if isinstance(each, str)),
        ready=ready,
        serving=ready if serving is None else serving,
        terminating=flag(conditions, "terminating") is True,
        kind=text(document, "targetRef", "kind"),
        name=text(document, "targetRef", "name"),
        uid=text(document, "targetRef", "uid"),
        node=text(document, "nodeName"),
    )
