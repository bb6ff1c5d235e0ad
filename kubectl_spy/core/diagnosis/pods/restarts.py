"""Restarts of containers, crash loops, and which failures are final."""

from __future__ import annotations

import re

from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.diagnosis.finding import Fact, Finding, fact, stating
from kubectl_spy.core.diagnosis.pods import exits
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.fields import mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice

BACK_OFF = "CrashLoopBackOff"  # the reason of a container that waits to restart
FORGOTTEN = 600.0
"""Seconds of a run after which the kubelet resets its back-off.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy"""
_MARGIN = 10.0  # seconds that a status may be behind the container, with a margin


def policy(pod: SeenPod, container: Container) -> str:
    """Return the restart policy that holds for the container.

    A container can have one of its own:
    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
    """
    own = text(container.spec, "restartPolicy")
    found = own or text(mapping(pod.document, "spec"), "restartPolicy") or "Always"
    # An init container that is done is not restarted, unless it is a sidecar.
    return "OnFailure" if (container.role, found) == ("init", "Always") else found


def restarted(pod: SeenPod, container: Container) -> Fact | None:
    """Return how often the container was restarted, and why, or None."""
    if not container.restarts:
        return None
    before = container.terminated_before
    why = None if before is None else exits.ended(pod, container, before)
    return fact("Restarted", times=container.restarts, why=why)


_OF_RESTARTS = frozenset({"restarts", "times", "wait"})


def without_restarts(found: Finding) -> Finding:
    """Return a finding without the number of restarts, and what follows from it."""
    # It may end again because it was restarted.
    dropped = _OF_RESTARTS | ({"again"} if "restarts" in found.args else set())
    args = {name: it for name, it in found.args.items() if name not in dropped}
    return found._replace(args=args)


def remedy(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> Remedy:
    """Return what to do about a container that is restarted."""
    if number(terminated, "exitCode") or container.role != "container":
        return exits.remedy(pod, container, terminated)
    return advice("let it run on, or use a Job: a command that ends belongs in a Job")


def may_end_again(pod: SeenPod, container: Container) -> bool:
    """Return whether a running container may be in a crash loop.

    It may be until it has run for twice as long as the last time. Its next end may not
    be in the status yet. After a run of more than 10 minutes it is in no loop.
    """
    before = container.terminated_before
    if before is None or container.started is None or not container.restarts:
        return False
    begun, ended = moment(before, "startedAt"), moment(before, "finishedAt")
    lasted = 0.0 if begun is None or ended is None else max(ended - begun, 0.0)
    if lasted > FORGOTTEN:
        return False
    enough = min(2 * lasted + _MARGIN, FORGOTTEN)
    return not pod.seen.has_reached(pod.entry.uid, container.started + enough)


def of_loops(pod: SeenPod) -> int:
    """Return the restarts of a container that may be in a crash loop, or 0."""
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
    """Return whether a container that ended with *code* is restarted."""
    rule = policy(pod, container)
    return not pod.ended and (rule == "Always" or (rule == "OnFailure" and code != 0))


def crash_loop(pod: SeenPod, container: Container, message: str) -> Finding:
    """Return why a container is restarted again and again, by its back-off."""
    before = container.terminated_before or {}
    # `back-off 40s restarting failed container=app pod=web-0_shop(8120e381-…)`
    pause = re.match(r"back-off (\w{1,20}) restarting", message)
    times, wait = container.restarts or None, pause[1] if pause else ""
    if before and number(before, "exitCode") == 0:
        of = fact("CompletesAgain", times=times, wait=wait)
    else:
        why = exits.ended(pod, container, before) if before else None
        of = fact("CrashLoop", why=why, times=times, wait=wait)
    return stating(
        of,
        container.about,
        remedy=remedy(pod, container, before) if before else pod.logs(container),
        since=moment(before, "finishedAt"),
    )


_OF_THE_TEMPLATE = ("InvalidImageName", "ErrImageNeverPull")
"""Reasons that hold for every Pod of the template."""
_COMPARED = ("image", "imagePullPolicy")


def final_if_template_fails(pod: SeenPod, found: list[Finding]) -> list[Finding]:
    """Return *found*. They are final only if each replacement would fail, too.

    The next Pod may run on another node, so only failures of the Pod template are. The
    Job controller decides when a Job has failed.
    https://kubernetes.io/docs/concepts/workloads/pods/#pods-and-controllers
    """
    controller = controller_of(pod.document)
    if not controller:
        return found
    lasting = {
        each.about
        for each in pod.containers
        if text(each.waiting, "reason") in _OF_THE_TEMPLATE
        and _is_of_template(pod, each, controller)
    }
    return [each._replace(final=each.final and each.about in lasting) for each in found]


def _is_of_template(
    pod: SeenPod, container: Container, controller: dict[str, JSON]
) -> bool:
    """Return whether the controller's current template has the same image."""
    owner = pod.seen.entry(text(controller, "uid"))
    if owner is None or text(controller, "kind") == "Job":
        return False
    kind = "containers" if container.role == "container" else "initContainers"
    template = mapping(owner.document, "spec", "template", "spec")
    return any(
        all(each.get(field) == container.spec.get(field) for field in _COMPARED)
        for each in mappings(template, kind)
        if text(each, "name") == container.name
    )
