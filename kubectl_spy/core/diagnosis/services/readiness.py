"""Questions 1 and 2: does the selector match Pods, are these ready, and if not, why?"""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds.pod import unready
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending, is_replaced
from kubectl_spy.core.diagnosis.selectors import absence
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, kubectl


def selection(service: SeenService) -> Finding:
    """Return whether the selector of the Service matches Pods."""
    if not service.selector:
        return _selected(
            Verdict.OK,
            "it has no selector: somebody else has to write its EndpointSlices",
        )
    selector = message_line(
        listed(f"{key}={each}" for key, each in service.selector.items())
    )
    why = service.seen.unseen("", "Pod", service.namespace)
    if why and not service.pods:
        return _selected(
            Verdict.UNKNOWN, f"which Pods have {selector} is unknown: {why}"
        )
    if service.pods and not all(map(is_replaced, service.pods)):
        return _selected(Verdict.OK, f"its selector {selector} matches Pods")
    absent = absence({"matchLabels": service.selector}, service.namespace, service.seen)
    if service.pods and not absent.idle:
        return _selected(Verdict.OK, f"its selector {selector} matches Pods")
    told = f"no Pod has {selector}"
    if service.pods:
        told = f"all Pods with {selector} are terminating or have ended"
    return _selected(Verdict.FAILING, f"{told}{absent.why}", absent.remedy)


def _selected(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return said("selector", verdict, what, remedy)


_TOLD = 2  # The most reasons to name. Each Pod shows its own.


def finding(service: SeenService) -> Finding | None:
    """Return how many selected Pods are ready, or None without Pods."""
    if not service.pods:
        return None
    living = [each for each in service.pods if not is_replaced(each)]
    leaving = [each for each in service.pods if is_replaced(each)]
    kept: dict[tuple[Verdict, str], list[str]] = {}
    for pod in living:
        if (why := unready(pod, service.seen)) is not None:
            kept.setdefault((why.verdict, why.text), []).append(pod.name)
    reasons = sorted(kept, key=lambda each: each[0] is not Verdict.FAILING)
    ready = len(living) - sum(map(len, kept.values()))
    parts = [f"{ready} of {len(living)} Pods ready" if living else "no Pod is left"]
    parts += [f"{_first(kept[each])}: {each[1]}" for each in reasons[:_TOLD]]
    if others := sum(len(kept[each]) for each in reasons[_TOLD:]):
        parts.append(f"{others} more not ready for other reasons")
    parts += _departing(leaving)
    if kept and service.takes_unready:
        parts.append("publishNotReadyAddresses gives traffic to all")
    verdict = worst([each for each, _ in kept])
    if not living:
        verdict = Verdict.WAITING
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        name = kept[reasons[0]][0]
        remedy = kubectl("describe pod {}", name, namespace=service.namespace)
    return said("pods", verdict, "; ".join(parts), remedy)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of *verdicts*, or OK without any."""
    order = (Verdict.FAILING, Verdict.WAITING, Verdict.UNKNOWN)
    return next((each for each in order if each in verdicts), Verdict.OK)


def _first(names: list[str]) -> str:
    more = len(names) - 1
    return f"{names[0]} and {more} more" if more else names[0]


def _departing(pods: list[Entry]) -> list[str]:
    terminating = sum(map(is_ending, pods))
    ended = len(pods) - terminating
    parts = [f"{terminating} terminating"] if terminating else []
    if ended:
        parts.append(f"{ended} ended (Succeeded or Failed)")
    return parts
