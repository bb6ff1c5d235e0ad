"""What an object tells of its past, which nobody here has seen.

It is what its own times say, and less than what happened: of a Pod that restarted, the
first start is not known any more; a condition tells of its last change only.
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.fields import condition, moment
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.spans.states import ObjectState, last_start
from kubectl_spy.core.trace.pods.columns import columns

_LASTING = 3600.0
"""Seconds after its creation at which the condition of what lives on tells, for all one
knows, of some later day."""
_CONDITIONS = ("Complete", "Failed", "Succeeded", "Ready", "Available", "Established")


class PastPhase(NamedTuple):
    """A phase that was over before the object was seen; times are the object's."""

    name: str
    start: float
    end: float


def born(document: JSON) -> float | None:
    """Return when the object was created, by its own account."""
    return moment(document, "metadata", "creationTimestamp")


def past_phases(
    gvk: GroupVersionKind, document: dict[str, JSON], state: ObjectState
) -> list[PastPhase]:
    """Return the phases before the one that the object is in.

    Each lasts from the one before until what a condition or a container says.
    """
    if (gvk.group, gvk.kind) == ("", "Pod"):
        found = _pod(document)
    else:
        found = _by_condition(document, state)
    return [each for each in found if each.start <= each.end]


def _pod(pod: dict[str, JSON]) -> list[PastPhase]:
    created = born(pod)
    bound = condition(pod, "PodScheduled")
    scheduled = moment(bound, "lastTransitionTime")
    if created is None or scheduled is None or bound.get("status") != "True":
        return []
    found = [PastPhase("Pending", created, scheduled)]
    started = last_start(pod)
    if started is None:
        return found
    if columns(pod).restarts == 0:
        found.append(PastPhase("ContainerCreating", scheduled, started))
    ready = condition(pod, "Ready")
    since = moment(ready, "lastTransitionTime")
    if ready.get("status") != "True" or since is None:
        return found
    # One that became ready again without a start was not starting all that time.
    if since - started <= _LASTING:
        found.append(PastPhase("NotReady", started, since))
    return found


def _by_condition(document: dict[str, JSON], state: ObjectState) -> list[PastPhase]:
    created = born(document)
    if created is None or not state.settled:
        return []
    for name in _CONDITIONS:
        found = condition(document, name)
        since = moment(found, "lastTransitionTime")
        if found.get("status") != "True" or since is None:
            continue
        if not state.final and since - created > _LASTING:
            continue
        return [PastPhase(f"Until{name}", created, since)]
    return []
