"""Question 1: does the selector match Pods, and if not, why?"""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.pod_states import is_replaced
from kubectl_spy.core.diagnosis.selectors import absence
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.remedy import NO_REMEDY, Remedy


def finding(service: SeenService) -> Finding:
    """Return whether the selector of the Service matches Pods."""
    if not service.selector:
        return _found(
            Verdict.OK,
            "it has no selector: somebody else has to write its EndpointSlices",
        )
    selector = message_line(
        listed(f"{key}={each}" for key, each in service.selector.items())
    )
    why = service.seen.unseen("", "Pod", service.namespace)
    if why and not service.pods:
        return _found(Verdict.UNKNOWN, f"which Pods have {selector} is unknown: {why}")
    if service.pods and not all(map(is_replaced, service.pods)):
        return _found(Verdict.OK, f"its selector {selector} matches Pods")
    absent = absence({"matchLabels": service.selector}, service.namespace, service.seen)
    if service.pods and not absent.idle:
        return _found(Verdict.OK, f"its selector {selector} matches Pods")
    told = f"no Pod has {selector}"
    if service.pods:
        told = f"all Pods with {selector} are terminating or have ended"
    return _found(Verdict.FAILING, f"{told}{absent.why}", absent.remedy)


def _found(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return Finding("selector", verdict, what, remedy)
