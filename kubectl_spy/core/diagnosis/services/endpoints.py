"""Question 3: do EndpointSlices list the Pods, and do these get traffic?

The nodes' proxies read EndpointSlices. The older Endpoints objects may lack addresses,
and are not read.
https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
"""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ready
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.services.slices import CONTROLLER, GROUP, places
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.remedy import NO_REMEDY, advice, kubectl

_REPORTED = frozenset(
    {"FailedToUpdateEndpointSlices", "FailedToUpdateEndpoint", "FailedToCreateEndpoint"}
)
"""The reasons of Events of the endpoint controllers about a Service.
https://github.com/kubernetes/kubernetes/tree/v1.36.2/pkg/controller/endpointslice
"""


def finding(service: SeenService) -> Finding:
    """Return the endpoints in the EndpointSlices of the Service."""
    why = service.seen.unseen(GROUP, "EndpointSlice", service.namespace)
    if why and not service.slices:
        return said("endpoints", Verdict.UNKNOWN, f"endpoints are unknown: {why}")
    if not service.slices:
        return _without_slices(service)
    listing, verdict = _listing(service)
    faults = [*_unlisted(service), *_foreign(service), *_families(service)]
    if faults:
        verdict = worst([verdict, *(each for each, _ in faults)])
    parts = [listing, *(what for _, what in faults)]
    if verdict is not Verdict.OK and (trouble := _reported(service)):
        verdict = Verdict.FAILING
        parts.append(trouble)
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        label = f"kubernetes.io/service-name={service.name}"
        remedy = kubectl("get endpointslices -l {}", label, namespace=service.namespace)
    return said("endpoints", verdict, "; ".join(parts), remedy)


def is_of_endpoints(reason: str) -> bool:
    """Return whether Events with that reason are about endpoints."""
    return reason in _REPORTED


def _without_slices(service: SeenService) -> Finding:
    if not service.selector:
        return said(
            "endpoints",
            Verdict.FAILING,
            "no EndpointSlice has the label "
            f"kubernetes.io/service-name={service.name}: traffic goes nowhere",
            advice("write one, with that label and the addresses, in its namespace"),
        )
    trouble = _reported(service)
    return said(
        "endpoints",
        Verdict.FAILING if trouble else Verdict.WAITING,
        f"no EndpointSlice yet{f'; {trouble}' if trouble else ''}",
        advice("if it stays so: does kube-controller-manager run?"),
    )


def _listing(service: SeenService) -> tuple[str, Verdict]:
    every = service.endpoints
    if not every:
        return _empty(service)
    ready = [each for each in every if each.ready]
    expected = [each for each in every if each.ready or not each.terminating]
    what = f"{len(ready)} of {len(expected)} endpoints ready"
    if ready:
        what += f": {places(service.slices, ready)}"
    if any(True for _ in service.receiving()):
        return what, Verdict.OK
    if ready:
        if not any(map(service.reaches, service.slices)):
            families = listed(dict.fromkeys(one.family for one in service.slices))
            what += f"; the Service has no address of family {families}"
            return what, Verdict.FAILING
        return f"{what}; no port of the Service leads there", Verdict.FAILING
    serving = [each for each in every if each.terminating and each.serving]
    if serving:
        # Terminating endpoints get traffic only if no other is ready.
        # https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-to-terminating-endpoints
        what += f"; traffic goes to {places(service.slices, serving)}, terminating"
    return what, Verdict.WAITING if service.selector else Verdict.FAILING


def _empty(service: SeenService) -> tuple[str, Verdict]:
    what = "its EndpointSlice lists no address"
    if len(service.slices) > 1:
        what = "its EndpointSlices list no address"
    if not service.selector:
        return f"{what}: traffic goes nowhere", Verdict.FAILING
    return what, Verdict.WAITING


def _unlisted(service: SeenService) -> list[tuple[Verdict, str]]:
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
    which = message_line(listed(absent[:2]))
    more = f" and {len(absent) - 2} more" if len(absent) > 2 else ""
    return [(Verdict.WAITING, f"ready, but not listed yet: {which}{more}")]


def _foreign(service: SeenService) -> list[tuple[Verdict, str]]:
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
        names = message_line(listed([each.name for each in foreign[:2]]))
        more = f" and {len(foreign) - 2} more" if len(foreign) > 2 else ""
        by_hand = one.manager not in (CONTROLLER, "")
        who = f" (written by {message_line(one.manager, 63)})" if by_hand else ""
        still = "" if by_hand else " still"
        what = f"{one.entry.name}{who}{still} lists {names}{more}"
        verdict = Verdict.OK if by_hand else Verdict.WAITING
        found.append((verdict, f"{what}, which it does not select"))
    return found


def _families(service: SeenService) -> list[tuple[Verdict, str]]:
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
        why = "" if have else f": its Pods have no {family} address"
        what = f"no {message_line(family, 20)} endpoint is ready{why}"
        found.append((Verdict.WAITING if have else Verdict.FAILING, what))
    return found


def _reported(service: SeenService) -> str:
    for event in reversed(service.seen.events(service.entry.uid)):
        if event.warning and is_of_endpoints(event.reason):
            return message_line(f"{event.reason}: {event.said}")
    return ""
