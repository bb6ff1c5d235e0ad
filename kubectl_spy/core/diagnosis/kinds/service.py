"""Services and EndpointSlices: whether traffic reaches the Pods, and why not.

https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.services import (
    address,
    dns_and_proxy,
    endpoints,
    probes,
    readiness,
    target_ports,
)
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.services.slices import (
    Endpoint,
    SeenSlice,
    read_slice,
    service_of,
)
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import text

_OF_THE_CLUSTER = ("dns", "proxy", "probe/")  # say nothing about the Service if UNKNOWN
_ADDRESSES = 6  # addresses of an EndpointSlice that one line names, by state


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return what keeps traffic from the Pods of a Service."""
    service = SeenService(entry, inventory)
    children = tuple(_children(service))
    summary = _summary(service)
    deleted = terminating(entry, inventory, summary, children)
    if deleted is not None:
        return deleted
    findings = tuple(_findings(service))
    verdict = readiness.worst(
        [
            each.verdict
            for each in findings
            if each.verdict is not Verdict.UNKNOWN
            or not each.about.startswith(_OF_THE_CLUSTER)
        ]
    )
    phase = _phase(service, findings)
    return Diagnosis(phase, verdict, summary, findings, children)


def diagnose_slice(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return which addresses an EndpointSlice has, by state."""
    slice_ = read_slice(entry)
    if not slice_.endpoints:
        # Controllers keep one slice of each family, even when it is empty.
        return Diagnosis("Empty", Verdict.OK, message_line(slice_.family))
    states: dict[str, list[str]] = {"ready": [], "not ready": [], "terminating": []}
    for each in slice_.endpoints:
        unready = "terminating" if each.terminating else "not ready"
        states["ready" if each.ready else unready].append(each.address)
    parts = [", ".join([slice_.family, *map(str, slice_.ports)])]
    for state, addresses in states.items():
        if addresses:
            parts.append(f"{state}: {listed(addresses, _ADDRESSES)}")
    phase = "Ready" if states["ready"] else "NotReady"
    verdict = Verdict.OK if states["ready"] else Verdict.WAITING
    if unused := _unused(entry, slice_, inventory):
        phase, verdict = "Unused", Verdict.WAITING
        parts.append(unused)
    return Diagnosis(phase, verdict, "; ".join(map(message_line, parts)))


def _unused(entry: Entry, slice_: SeenSlice, inventory: Inventory) -> str:
    """Return why its Service, if known, sends no traffic here; or ""."""
    found = inventory.named("", "Service", entry.namespace, service_of(entry))
    service = None if found is None else SeenService(found, inventory)
    if service is None or service.headless or not service.ports:
        return ""
    if any(service.leads(each, slice_) for each in service.ports):
        return ""
    return f"no port of Service {service.name} leads here"


def _findings(service: SeenService) -> Iterator[Finding]:
    if service.external:
        yield dns_and_proxy.dns(service)
        return
    yield readiness.selection(service)
    pods = readiness.of_pods(service)
    if pods is not None:
        yield pods
    yield endpoints.of_endpoints(service)
    yield from target_ports.findings(service)
    yield dns_and_proxy.dns(service)
    yield address.of_address(service)
    yield from probes.findings(service)
    if not service.headless:
        yield dns_and_proxy.proxy(service)


def _phase(service: SeenService, findings: tuple[Finding, ...]) -> str:
    if service.external:
        return "External"
    about = {each.about: each for each in findings}
    if any(True for _ in service.receiving()):
        pending = about["address"].verdict is not Verdict.OK
        return "Pending" if pending else "Serving"
    if about["selector"].verdict is Verdict.FAILING:
        return "NoPods"
    if about["endpoints"].verdict is Verdict.UNKNOWN:
        return "Unknown"
    if about["endpoints"].verdict is Verdict.FAILING:
        return "NoEndpoints"
    return "NotReady"


def _summary(service: SeenService) -> str:
    if service.external:
        return message_line(f"alias of {text(service.spec, 'externalName')}")
    first = service.kind_of_address
    if service.cluster_ips:
        first += f" {service.cluster_ips[0]}"
    parts = [first]
    living = [each for each in service.pods if not each.replaced]
    if living:
        ready = sum(map(is_ready, living))
        parts.append(f"{ready} of {len(living)} Pods ready")
    elif every := service.endpoints:
        ready = sum(each.ready for each in every)
        parts.append(f"{ready} of {len(every)} endpoints ready")
    if found := address.addresses(service.entry):
        parts.append(message_line(listed(found, 4)))
    return message_line(", ".join(parts))


def _children(service: SeenService) -> Iterator[Child]:
    roles: dict[str, str] = {}
    for one in service.slices:
        for each in one.endpoints:
            roles.setdefault(each.target, _role(one.place(each), each))
    shown = set()
    for pod in service.pods:
        role = roles.get(pod.uid) or roles.get(pod.name, "")
        yield Child(pod.uid, role, counts=not pod.replaced)
        shown.add(pod.uid)
    owned = service.seen.owned(service.entry.uid)
    for entry in (*(one.entry for one in service.slices), *owned):
        if entry.uid not in shown:
            yield Child(entry.uid)
            shown.add(entry.uid)


def _role(place: str, endpoint: Endpoint) -> str:
    if endpoint.terminating:
        return f"endpoint {place}, terminating"
    if endpoint.ready:
        return f"ready endpoint {place}"
    return f"endpoint {place}, not ready"
