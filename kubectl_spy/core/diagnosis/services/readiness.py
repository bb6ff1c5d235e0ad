"""Questions 1 and 2: does the selector match Pods, are these ready, and if not, why?"""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.diagnosis.finding import (
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.pod import unready
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending
from kubectl_spy.core.diagnosis.selectors import absence
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.remedy import NO_REMEDY, kubectl


def selection(service: SeenService) -> Finding:
    """Return whether the selector of the Service matches Pods."""
    about = "selector"
    if not service.selector:
        return finding("SelectorAbsent", about)
    selector = tuple(f"{key}={each}" for key, each in service.selector.items())
    why = service.seen.unseen("", "Pod", service.namespace)
    if why and not service.pods:
        return finding("SelectedPodsUnseen", about, selector=selector, why=why)
    if service.pods and not all(each.replaced for each in service.pods):
        return finding("SelectorMatches", about, selector=selector)
    absent = absence({"matchLabels": service.selector}, service.namespace, service.seen)
    left = bool(service.pods)
    if left and not absent.idle:
        return finding("SelectorMatches", about, selector=selector)
    of = fact("SelectorMatchesNothing", left=left, selector=selector, **absent.args)
    return stating(of, about, remedy=absent.remedy)


_TOLD = 2  # The most reasons to name. Each Pod shows its own.


def of_pods(service: SeenService) -> Finding | None:
    """Return how many selected Pods are ready, or None without Pods."""
    if not service.pods:
        return None
    living = [each for each in service.pods if not each.replaced]
    leaving = [each for each in service.pods if each.replaced]
    kept: dict[str, tuple[Finding, list[str]]] = {}
    for pod in living:
        if (why := unready(pod, service.seen)) is not None:
            key = repr((why.verdict, why.fact))
            kept.setdefault(key, (why, []))[1].append(pod.name)
    groups = sorted(kept.values(), key=lambda it: it[0].verdict is not Verdict.FAILING)
    unready_ = sum(len(names) for _, names in groups)
    leaving_ = sum(map(is_ending, leaving))
    verdict = worst([why.verdict for why, _ in groups])
    if not living:
        verdict = Verdict.WAITING
    remedy = NO_REMEDY
    if verdict is Verdict.FAILING:
        name = groups[0][1][0]
        remedy = kubectl("describe pod {}", name, namespace=service.namespace)
    reasons = (_reason(why, names) for why, names in groups[:_TOLD])
    of = fact(
        "SelectedPods" if verdict is Verdict.OK else "SelectedPodsUnready",
        ready=len(living) - unready_ if living else None,
        pods=len(living) or None,
        reasons=tuple(reasons),
        others=sum(len(names) for _, names in groups[_TOLD:]) or None,
        terminating=leaving_ or None,
        ended=len(leaving) - leaving_ or None,
        unready=bool(kept) and service.takes_unready,
    )
    return stating(of, "pods", verdict=verdict, remedy=remedy)


def _reason(why: Finding, names: list[str]) -> Fact:
    others = len(names) - 1 or None
    return fact("PodUnready", pod=names[0], others=others, why=why.fact)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of *verdicts*, or OK without any."""
    order = (Verdict.FAILING, Verdict.WAITING, Verdict.UNKNOWN)
    return next((each for each in order if each in verdicts), Verdict.OK)
