"""Describes what each container is doing, and why it is not started."""

from __future__ import annotations

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import (
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.pods import ending, exits, probes, restarts
from kubectl_spy.core.diagnosis.pods.images import pull_failure
from kubectl_spy.core.diagnosis.pods.missing import explained
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY

_STARTING = ("", "ContainerCreating", "PodInitializing")
_WHERE = {"container": "InContainer", "init": "InInitContainer", "sidecar": "InSidecar"}
_PULL = ("ErrImagePull", "ImagePullBackOff")
_PULL_FAILED = "Failed to pull image "
_NEVER = "ImageNeverPulled"


def findings(pod: SeenPod) -> list[Finding]:
    """Return the findings about containers.

    Init containers that are done have none, and neither have containers that wait for
    an init container. In a Pod that has ended no container runs or starts.
    """
    found = []
    initializing = False
    for container in pod.containers:
        if container.role == "init" and container.done:
            continue
        untouched = starting(container) and not container.restarts
        if not container.status or (initializing and untouched):
            continue
        if pod.ended and (container.running is not None or starting(container)):
            continue
        if pod.deleting and container.running is not None and len(pod.containers) == 1:
            continue  # that it is being deleted says as much
        found.append(_finding(pod, container))
        if container.running is not None and not pod.deleting:
            found += probes.findings(pod, container)
        if container.role == "init" or (
            container.role == "sidecar" and container.status.get("started") is not True
        ):
            initializing = True
    return found


def named(pod: SeenPod, found: list[Finding]) -> list[Finding]:
    """Return *found* with the names of the containers, if there are several.

    Init containers and sidecars are always named.
    """
    several = len(pod.containers) > 1
    if not several and all(each.role == "container" for each in pod.containers):
        return found
    roles = {each.name: each.role for each in pod.containers}
    return [
        each._replace(args={"where": fact(_WHERE[roles[name]], name=name), **each.args})
        if (name := _container_of(each)) in roles
        and (several or roles[name] != "container")
        else each
        for each in found
    ]


def _container_of(finding: Finding) -> str:
    kind, _, rest = finding.about.partition("/")
    if kind != "probe" and kind not in _WHERE:
        return ""
    return rest.rpartition("/")[0] if kind == "probe" else rest


def starting(container: Container) -> bool:
    """Return whether the container was never started, and nothing is wrong."""
    if not container.status:
        return True
    waiting = container.waiting
    if waiting is None or container.terminated_before is not None:
        return False
    return text(waiting, "reason") in _STARTING


def _finding(pod: SeenPod, container: Container) -> Finding:
    if container.terminated is not None:
        return _terminated(pod, container, container.terminated)
    if container.running is not None:
        return _running(pod, container)
    return _waiting(pod, container, container.waiting or {})


def _running(pod: SeenPod, container: Container) -> Finding:
    about, since = container.about, container.started
    if pod.deleting:
        return finding("ContainerStopping", about, since=since)
    restarted = restarts.restarted(pod, container)
    if container.role == "init":
        logs = pod.logs(container)
        return finding(
            "InitRunning", about, restarts=restarted, remedy=logs, since=since
        )
    again = restarts.may_end_again(pod, container)
    before = container.terminated_before
    if container.ready:
        stale = pod.marked_unready
        verdict = Verdict.WAITING if again else Verdict.OK
        return finding(
            "ContainerReady",
            about,
            restarts=restarted,
            again=again,
            stale=stale,
            verdict=Verdict.UNKNOWN if stale else verdict,
            remedy=NO_REMEDY if not before else restarts.remedy(pod, container, before),
            since=since,
        )
    probe = probes.awaited(container)
    if probe and probes.failures(pod, container, probe):
        probe = ""
    loops = again and before is not None
    unready = pod.condition("ContainersReady") or pod.condition("Ready")
    turned = moment(unready, "lastTransitionTime")
    if turned is not None and unready.get("status") == "False":
        since = max(turned, since or turned)  # it may have been ready before
    return finding(
        "ContainerNotReady",
        about,
        probe=probe,
        question=probes.question(container, probe) if probe else "",
        restarts=restarted,
        again=again,
        remedy=restarts.remedy(pod, container, before or {})
        if loops
        else pod.logs(container),
        since=since,
    )


def _terminated(
    pod: SeenPod, container: Container, terminated: dict[str, JSON]
) -> Finding:
    about = container.about
    since = moment(terminated, "finishedAt")
    code = number(terminated, "exitCode")
    why = exits.ended(pod, container, terminated)
    if pod.deleting:
        # The container was asked to stop, so its exit code is no failure.
        if code == 137 and text(terminated, "reason") == "Error":
            return finding("KilledAfterGrace", about, since=since)
        return stating(why, about, verdict=Verdict.OK, remedy=NO_REMEDY, since=since)
    again = restarts.will_restart(pod, container, code)
    times = container.restarts or None
    if code == 0 and not again:
        return finding("ContainerCompleted", about, since=since)
    if code == 0:
        # One end may be an accident. A second one means that the command ends.
        verdict = Verdict.FAILING if container.restarts else Verdict.WAITING
        remedy = restarts.remedy(pod, container, terminated)
        return finding(
            "EndsAndRestarts",
            about,
            why=why,
            times=times,
            verdict=verdict,
            remedy=remedy,
            since=since,
        )
    whole = None if again else ending.failure(pod)
    never = not again and whole is None and restarts.policy(pod, container) == "Never"
    return finding(
        "ContainerFailed",
        about,
        why=why,
        again=again,
        times=times if again else None,
        whole=whole,
        policy="Never" if never else "",
        remedy=exits.remedy(pod, container, terminated),
        since=since,
        final=not again,
    )


def _waiting(pod: SeenPod, container: Container, waiting: dict[str, JSON]) -> Finding:
    about = container.about
    reason, message = text(waiting, "reason"), text(waiting, "message")
    if pod.deleting:
        return finding("ContainerStopped", about)
    if reason == restarts.BACK_OFF:
        return restarts.crash_loop(pod, container, message)
    if reason in _STARTING:
        latest = _latest_step(pod, container)
        if latest is None or latest.reason in ("Pulled", "Created"):
            restarted = restarts.restarted(pod, container)
            return finding("ContainerCreating", about, restarts=restarted)
        if latest.reason == "Pulling":
            image = message_line(text(container.spec, "image"))
            return finding("PullingImage", about, image=image)
        # The kubelet sends the Event at once, and writes the status a second later.
        reason, message = "ErrImagePull", latest.said
    if reason in _PULL:
        return stating(pull_failure(pod, container, message), about)
    return refusal(pod, container, reason, message)


def _latest_step(pod: SeenPod, container: Container) -> ClusterEvent | None:
    steps = container.events(pod, "Pulling", "Pulled", "Failed", "Created")
    for each in reversed(steps):
        if each.reason != "Failed" or each.said.startswith(_PULL_FAILED):
            return each
    return None


_REASONS = {
    "CreateContainerConfigError": "ContainerConfigInvalid",
    "CreateContainerError": "ContainerNotCreated",
    "RunContainerError": "ContainerNotStarted",
    "PostStartHookError": "PostStartFailed",
    "ImageInspectError": "ImageUnreadable",
    "RegistryUnavailable": "RegistryUnavailable",
    "SignatureValidationFailed": "ImageSignatureInvalid",
}
"""The kubelet's reasons for a waiting container:
https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/container/sync_result.go
and pkg/kubelet/images/types.go."""


def refusal(pod: SeenPod, container: Container, reason: str, message: str) -> Finding:
    """Return why *container* is not started, by the kubelet's *reason*."""
    about, name = container.about, container.name
    if reason in ("InvalidImageName", "ErrImageNeverPull"):
        image = pull_failure(pod, container, message).args.get("image")
        code = "InvalidImageName" if reason == "InvalidImageName" else _NEVER
        return finding(code, about, image=image, container=name)
    if absent := explained(pod, message):
        return stating(absent.fact, about, remedy=absent.remedy)
    if "runAsNonRoot" in message:
        return finding("RunsAsRoot", about, container=name)
    if reason in _REASONS:
        of = fact(_REASONS[reason], message=exits.start_error(message), container=name)
        found = stating(of, about)
        return found if found.remedy else found._replace(remedy=pod.describe())
    wrong = reason.startswith("Err") or reason.endswith(("Error", "BackOff", "Failed"))
    return finding(
        "ContainerWaiting",
        about,
        reason=message_line(reason, 80),
        message=message_line(message),
        verdict=Verdict.FAILING if wrong else Verdict.WAITING,
        remedy=pod.describe(),
    )
