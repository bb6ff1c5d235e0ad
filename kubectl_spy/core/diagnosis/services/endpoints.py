"""Question 3: do EndpointSlices list the Pods, and do these get traffic?

The nodes' proxies read EndpointSlices. The older Endpoints objects may lack addresses,
and are not read.
https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
"""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, finding
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.services.slices import CONTROLLER, GROUP, places
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.remedy import NO_REMEDY, kubectl

_REPORTED = frozenset(
    {"FailedToUpdateEndpointSlices", "FailedToUpdateEndpoint", "FailedToCreateEndpoint"}
)
"""The reasons of Events of the endpoint controllers about a Service.
https://github.com/kubernetes/kubernetes/tree/v1.36.2/pkg/controller/endpointslice
"""


def of_endpoints(service: SeenService) -> Finding:
    """Return the endpoints in the EndpointSlices of the Service."""
    about = "endpoints"
    why = service.seen.unseen(GROUP, "EndpointSlice", service.namespace)
    if why and not service.slices:
        return finding("EndpointsUnseen", about, why=why)
    if not service.slices:
        return _without_slices(service)
    verdict, listing = _listing(service)
    faults = [*_unlisted(service), *_foreign(service), *_families(service)]
    if faults:
        verdict = worst([verdict, *(each for each, _ in faults)])
    parts = [*listing, *(what for _, what in faults)]
    if verdict is not Verdict.OK and (trouble := _reported(service)):
        verdict = Verdict.FAILING
        parts.append(trouble)
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        label = f"kubernetes.io/service-name={service.name}"
        remedy = kubectl("get endpointslices -l {}", label, namespace=service.namespace)
    serves = any(True for _ in service.receiving())
    code = "EndpointsIncomplete" if serves else "NoReadyEndpoints"
    if serves and verdict is Verdict.OK:
        code = "EndpointsServe"
    return finding(code, about, parts=tuple(parts), verdict=verdict, remedy=remedy)


def is_of_endpoints(reason: str) -> bool:
    """Return whether Events with that reason are about endpoints."""
    return reason in _REPORTED


def _without_slices(service: SeenService) -> Finding:
    if not service.selector:
        return finding("EndpointSliceMissing", "endpoints", name=service.name)
    trouble = _reported(service)
    verdict = Verdict.FAILING if trouble else Verdict.WAITING
    return finding(
        "EndpointSliceAwaited", "endpoints", trouble=trouble, verdict=verdict
    )


def _listing(service: SeenService) -> tuple[Verdict, list[Fact]]:
    every = service.endpoints
    if not every:
        return _empty(service)
    ready = [each for each in every if each.ready]
    expected = [each for each in every if each.ready or not each.terminating]
    what = fact(
        "EndpointsReady",
        ready=len(ready),
        endpoints=len(expected),
        places=places(service.slices, ready) if ready else "",
    )
    if any(True for _ in service.receiving()):
        return Verdict.OK, [what]
    if ready:
        if not any(map(service.reaches, service.slices)):
            families = tuple(dict.fromkeys(one.family for one in service.slices))
            apart = fact("FamilyWithoutAddress", families=families)
            return Verdict.FAILING, [what, apart]
        return Verdict.FAILING, [what, fact("PortsLeadNowhere")]
    verdict = Verdict.WAITING if service.selector else Verdict.FAILING
    serving = [each for each in every if each.terminating and each.serving]
    if serving:
        # Terminating endpoints get traffic only if no other is ready.
        # https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-to-terminating-endpoints
        there = fact("TerminatingServe", places=places(service.slices, serving))
        return verdict, [what, there]
    return verdict, [what]


def _empty(service: SeenService) -> tuple[Verdict, list[Fact]]:
    lost, several = not service.selector, len(service.slices) > 1
    what = fact("EndpointsEmpty", several=several, lost=lost)
    return Verdict.FAILING if lost else Verdict.WAITING, [what]


def _unlisted(service: SeenService) -> list[tuple[Verdict, Fact]]:
    """Return the ready Pods that get no traffic."""
    targets = {each.target for each in service.endpoints}
    addresses = {one for each in service.endpoints for one in each.addresses}
    absent = [
        pod.name
        for pod in service.pods
        if is_ready(pod)
        and targets.isdisjoint((pod.uid, pod.name))
        and text(pod.document, "status", "podIP") not in addresses
    ]
    if not absent:
        return []
    more = max(len(absent) - 2, 0) or None
    what = fact("PodsUnlisted", pods=tuple(absent[:2]), more=more)
    return [(Verdict.WAITING, what)]


def _foreign(service: SeenService) -> list[tuple[Verdict, Fact]]:
    """Return the endpoints that are not of selected Pods."""
    if service.seen.unseen("", "Pod", service.namespace) or not service.selector:
        return []
    selected = {name for pod in service.pods for name in (pod.uid, pod.name)}
    found = []
    for one in service.slices:
        foreign = [
            each
            for each in one.endpoints
            if each.kind == "Pod" and each.target not in selected
        ]
        if not foreign:
            continue
        by_hand = one.manager not in (CONTROLLER, "")
        what = fact(
            "ForeignEndpoints",
            slice=one.entry.name,
            manager=message_line(one.manager, 63) if by_hand else "",
            pods=tuple(each.name for each in foreign[:2]),
            more=max(len(foreign) - 2, 0) or None,
        )
        found.append((Verdict.OK if by_hand else Verdict.WAITING, what))
    return found


def _families(service: SeenService) -> list[tuple[Verdict, Fact]]:
    """Return which address family of two has no endpoints.

    https://kubernetes.io/docs/concepts/services-networking/dual-stack/
    """
    there = {
        one.family
        for one in service.slices
        if any(each.ready for each in one.endpoints)
    }
    if len(service.families) < 2 or not there:
        return []
    found = []
    for family in service.families:
        if family in there:
            continue
        have = any(
            (":" in text(each, "ip")) == (family == "IPv6")
            for pod in service.pods
            if is_ready(pod)
            for each in mappings(pod.document, "status", "podIPs")
        )
        what = fact("FamilyUnready", family=message_line(family, 20), lacking=not have)
        found.append((Verdict.WAITING if have else Verdict.FAILING, what))
    return found


def _reported(service: SeenService) -> Fact | None:
    for event in reversed(service.seen.events(service.entry.uid)):
        if event.warning and is_of_endpoints(event.reason):
            message = message_line(event.said)
            return fact("ReportedBy", reason=event.reason, message=message)
    return None
