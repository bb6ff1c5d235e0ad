"""Service: why traffic does, or does not, get to its Pods.

https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready, is_replaced
from kubectl_spy.core.diagnosis.services import (
    address,
    cluster_dns,
    endpoints,
    load_balancer,
    node_proxies,
    probes,
    readiness,
    selection,
    target_ports,
)
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.services.slices import Endpoint, SeenSlice
from kubectl_spy.core.diagnosis.wording import one_line
from kubectl_spy.core.fields import text

_OF_THE_CLUSTER = ("dns", "proxy", "probe/")
"""Questions of which it says nothing about the Service that they cannot be answered."""


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return what keeps traffic from its Pods, question by question."""
    service = SeenService(entry, seen)
    children = tuple(_children(service))
    leaving = terminating(entry, seen, _summary(service), children)
    if leaving is not None:
        return leaving
    findings = tuple(_findings(service))
    verdict = readiness.worst(
        [
            each.verdict
            for each in findings
            if each.verdict is not Verdict.UNKNOWN
            or not each.about.startswith(_OF_THE_CLUSTER)
        ]
    )
    return Diagnosis(
        phase=_phase(service, findings),
        verdict=verdict,
        summary=_summary(service),
        findings=findings,
        children=children,
    )


def _findings(service: SeenService) -> Iterator[Finding]:
    if service.external:
        yield cluster_dns.finding(service)
        return
    yield selection.finding(service)
    pods = readiness.finding(service)
    if pods is not None:
        yield pods
    yield endpoints.finding(service)
    yield from target_ports.findings(service)
    yield cluster_dns.finding(service)
    yield address.finding(service)
    yield from probes.findings(service)
    if not service.headless:
        yield node_proxies.finding(service)


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
        return one_line(f"alias of {text(service.spec, 'externalName')}")
    first = service.kind_of_address
    if service.cluster_ips:
        first += f" {service.cluster_ips[0]}"
    parts = [first]
    living = [each for each in service.pods if not is_replaced(each)]
    if living:
        ready = sum(map(is_ready, living))
        parts.append(f"{ready} of {len(living)} Pods ready")
    elif every := service.endpoints:
        ready = sum(each.ready for each in every)
        parts.append(f"{ready} of {len(every)} endpoints ready")
    if found := load_balancer.addresses(service.entry):
        parts.append(load_balancer.written(found))
    return one_line(", ".join(parts))


def _children(service: SeenService) -> Iterator[Child]:
    """Yield the Pods that it selects, its EndpointSlices, and what else it owns."""
    places: dict[str, tuple[SeenSlice, Endpoint]] = {}
    for one in service.slices:
        for each in one.endpoints:
            places.setdefault(each.target, (one, each))
    shown = set()
    for pod in service.pods:
        role = _role(places.get(pod.uid) or places.get(pod.name))
        yield Child(pod.uid, role, counts=not is_replaced(pod))
        shown.add(pod.uid)
    owned = service.seen.owned(service.entry.uid)
    for entry in (*(one.entry for one in service.slices), *owned):
        if entry.uid not in shown:
            yield Child(entry.uid)
            shown.add(entry.uid)


def _role(listed: tuple[SeenSlice, Endpoint] | None) -> str:
    """Return what a Pod is to the Service: what its EndpointSlice says of it."""
    if listed is None:
        return ""
    one, endpoint = listed
    place = one.place(endpoint)
    if endpoint.terminating:
        return f"endpoint {place}, terminating"
    return (
        f"ready endpoint {place}" if endpoint.ready else f"endpoint {place}, not ready"
    )
