"""The states of Pods that their owners count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.fields import condition, mapping, mappings, number, text


def is_ready(pod: Entry) -> bool:
    """Tell whether the Pod is ready and not being deleted."""
    ready = condition(pod.document, "Ready").get("status") == "True"
    return ready and not is_ending(pod)


def is_ending(pod: Entry) -> bool:
    return bool(mapping(pod.document, "metadata").get("deletionTimestamp"))


def has_failed(pod: Entry) -> bool:
    return text(pod.document, "status", "phase") == "Failed"


def has_ended(pod: Entry) -> bool:
    """Tell whether the Pod has ended, with or without success."""
    return text(pod.document, "status", "phase") in ("Succeeded", "Failed")


def failed_container(pod: Entry) -> str:
    """Return the name of the first container that ended without success, or ""."""
    return next((name for name, _ in _failed_containers(pod)), "")


def why_failed(pods: Iterable[Entry]) -> tuple[Fact, ...]:
    """Return why *pods* failed, what most share first: `PodEnd`."""
    causes: dict[str, Fact] = {}
    counts = Counter[str]()
    for pod in pods:
        cause = _cause(pod)
        causes.setdefault(repr(cause), cause)
        counts[repr(cause)] += bool(cause.args)
    found = []
    for key, count in counts.most_common():
        more = fact("PodEnd", pods=count if count > 1 else None)
        found.append(Fact("PodEnd", {**causes[key].args, **more.args}))
    return tuple(each for each in found if each.args)


def _cause(pod: Entry) -> Fact:
    # The kubelet and the node lifecycle controller give a reason: Evicted.
    reason = text(pod.document, "status", "reason")
    ends = []
    for name, state in _failed_containers(pod):
        why = text(state, "reason")
        # "Error" only says that the code is not 0.
        why = "" if why == "Error" else why
        code = number(state, "exitCode")
        ends.append(fact("ContainerEnd", container=name, reason=why, exit=code))
    return fact("PodEnd", reason=reason, containers=tuple(ends))


def _failed_containers(pod: Entry) -> list[tuple[str, dict[str, object]]]:
    statuses = [
        *mappings(pod.document, "status", "initContainerStatuses"),
        *mappings(pod.document, "status", "containerStatuses"),
    ]
    ended = [
        (
            text(each, "name"),
            # A container in a crash loop waits, or runs again.
            mapping(each, "state", "terminated")
            or mapping(each, "lastState", "terminated"),
        )
        for each in statuses
    ]
    return [(name, state) for name, state in ended if number(state, "exitCode")]
