"""Containers that end and are started again, and whether they do so in a loop."""

from __future__ import annotations

import re

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.pods import exits
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import times
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice

BACK_OFF = "CrashLoopBackOff"
"""Why a container waits that is to be started again."""
_FORGOTTEN = 600.0
"""Seconds of a run after which the kubelet starts its back-off anew.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy"""
_MARGIN = 10.0
"""Seconds that a status may be behind the container, and then some."""


def policy(pod: SeenPod, container: Container) -> str:
    """Return the restart policy that holds for the container.

    A container can have one of its own:
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
    """
    own = text(container.spec, "restartPolicy")
    found = own or text(mapping(pod.document, "spec"), "restartPolicy") or "Always"
    # An init container that is not a sidecar is never started again once it is done.
    return "OnFailure" if (container.role, found) == ("init", "Always") else found


def restarted(pod: SeenPod, container: Container) -> str:
    """Return how often the container was started again, and why; or ""."""
    if not container.restarts:
        return ""
    told = f"; restarted {times(container.restarts)}"
    if container.terminated_before is not None:
        why = exits.ended(pod, container, container.terminated_before)
        told += f", the last time it {why}"
    return told


def without(told: str) -> str:
    """Return what a finding says, without how often its container was restarted."""
    return told.partition("; restarted ")[0]


def remedy(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> Remedy:
    """Return what to do about a container that is started again."""
    if number(terminated, "exitCode") or container.role != "container":
        return exits.remedy(pod, container, terminated)
    return advice("let it run on, or use a Job: a command that ends belongs in a Job")


def may_end_again(pod: SeenPod, container: Container) -> bool:
    """Tell whether a container that runs is between two runs of a crash loop.

    So it is until it runs for twice as long as the last time: it is started in the same
    way, and the end of the run is not yet in the status. A run of more than 10 minutes
    is no part of a loop.
    """
    before = container.terminated_before
    if before is None or container.started is None or not container.restarts:
        return False
    begun, ended = moment(before, "startedAt"), moment(before, "finishedAt")
    lasted = 0.0 if begun is None or ended is None else max(ended - begun, 0.0)
    if lasted > _FORGOTTEN:
        return False
    enough = min(2 * lasted + _MARGIN, _FORGOTTEN)
    return not pod.seen.has_reached(pod.entry.uid, container.started + enough)


def of_loops(pod: SeenPod) -> int:
    """Return how often a container was restarted that may be in a crash loop."""
    if pod.ended or pod.deleting:
        return 0
    return max((_of_loop(pod, each) for each in pod.containers), default=0)


def _of_loop(pod: SeenPod, container: Container) -> int:
    if container.running is not None:
        loops = may_end_again(pod, container)
    elif (ended := container.terminated) is not None:
        loops = will_restart(pod, container, number(ended, "exitCode"))
    else:
        loops = text(container.waiting, "reason") == BACK_OFF
    return container.restarts if loops else 0


def will_restart(pod: SeenPod, container: Container, code: int) -> bool:
    """Tell whether a container that ended with *code* is started again."""
    its = policy(pod, container)
    return not pod.ended and (its == "Always" or (its == "OnFailure" and code != 0))


def crash_loop(pod: SeenPod, container: Container, message: str) -> Finding:
    """Return why a container is started again and again, from its back-off."""
    before = container.terminated_before or {}
    told = "fails again and again"
    if before:
        told += f": {exits.ended(pod, container, before)}"
        if number(before, "exitCode") == 0:
            told = "ends again and again (exit code 0), and is always started again"
    if container.restarts:
        told += f"; restarted {times(container.restarts)}"
    # `back-off 40s restarting failed container=app pod=web-0_shop(8120e381-…)`
    if pause := re.match(r"back-off (\w{1,20}) restarting", message):
        told += f", waits {pause[1]} before the next start"
    since = moment(before, "finishedAt")
    shown = remedy(pod, container, before) if before else pod.logs(container)
    return Finding(container.about, Verdict.FAILING, told, shown, since)
