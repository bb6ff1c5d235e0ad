"""Question 1: does the selector match Pods, and if not, which label is off."""

from __future__ import annotations

from difflib import SequenceMatcher

from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.trace.inventory import Entry
from kubectl_spy.core.trace.picture import Finding, Verdict
from kubectl_spy.core.trace.services.seen_service import SeenService, labels_of
from kubectl_spy.core.trace.wording import listed, one_line

_COMPARED = 63
"""Characters of a label's value: more the API server does not take."""
_WRITTEN_OUT = 10


def finding(service: SeenService) -> Finding:
    """Return whether its selector matches Pods."""
    if not service.selector:
        return _selectorless(service)
    selector = one_line(listed(_written(service.selector)))
    if service.pods:
        return _found(Verdict.OK, f"its selector {selector} matches Pods")
    why = service.seen.unseen("", "Pod", service.namespace)
    if why:
        return _found(Verdict.UNKNOWN, f"which Pods have {selector} is unknown: {why}")
    there = service.seen.every("", "Pod", service.namespace)
    if not there:
        return _found(
            Verdict.FAILING,
            f"no Pod has {selector}: there are no Pods in the namespace",
            advice(
                "{} shows what is scaled to 0",
                kubectl("get deploy,sts,ds", namespace=service.namespace),
            ),
        )
    remedy = kubectl("get pods --show-labels", namespace=service.namespace)
    nearest = _nearest(service.selector, there)
    if nearest is None:
        keys = " or ".join(service.selector)
        return _found(
            Verdict.FAILING,
            one_line(
                f"no Pod has {selector}; no Pod in the namespace has a label {keys}"
            ),
            remedy,
        )
    off = _off(service.selector, nearest)
    return _found(
        Verdict.FAILING,
        f"no Pod has {selector}; nearest is pod {nearest.name}: {off}",
        remedy,
    )


def _selectorless(service: SeenService) -> Finding:
    return _found(
        Verdict.OK,
        "it has no selector: somebody else has to write its EndpointSlices",
    )


def _nearest(selector: dict[str, str], pods: list[Entry]) -> Entry | None:
    """Return the Pod that has most of *selector*, or something like it."""

    def likeness(pod: Entry) -> tuple[int, int, float]:
        labels = labels_of(pod.document)
        same = sum(labels.get(key) == value for key, value in selector.items())
        keys = [key for key in selector if key in labels]
        alike = [
            SequenceMatcher(
                None, selector[key][:_COMPARED], labels[key][:_COMPARED]
            ).quick_ratio()
            for key in keys[:_WRITTEN_OUT]
        ]
        return same, len(keys), sum(alike)

    nearest = max(pods, key=likeness)
    return nearest if likeness(nearest)[1] else None


def _off(selector: dict[str, str], pod: Entry) -> str:
    labels = labels_of(pod.document)
    return one_line(
        listed(
            f"{key} is {labels[key] or 'empty'}"
            if key in labels
            else f"it has no label {key}"
            for key, value in selector.items()
            if labels.get(key) != value
        )
    )


def _written(selector: dict[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in selector.items()]


def _found(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return Finding("selector", verdict, what, remedy)
