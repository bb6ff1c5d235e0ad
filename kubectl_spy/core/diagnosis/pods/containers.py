"""Describes what each container is doing, and why it is not started."""

from __future__ import annotations

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds.pod_states import is_marked_unready
from kubectl_spy.core.diagnosis.pods import ending, exits, probes, restarts
from kubectl_spy.core.diagnosis.pods.images import pull_failure
from kubectl_spy.core.diagnosis.pods.missing import explained
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, advice
from kubectl_spy.core.wording import many

_STARTING = ("", "ContainerCreating", "PodInitializing")
_CALLED = {"container": "container", "init": "init container", "sidecar": "sidecar"}
_PULL = ("ErrImagePull", "ImagePullBackOff")
_PULL_FAILED = "Failed to pull image "


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
    roles = {each.name: each.role for each in pod.containers}
    several = len(pod.containers) > 1
    return [
        each._replace(
            code="Text", args={"text": f"{_CALLED[roles[name]]} {name}: {each.text}"}
        )
        if (name := _container_of(each)) in roles
        and (several or roles[name] != "container")
        else each
        for each in found
    ]


def _container_of(finding: Finding) -> str:
    kind, _, rest = finding.about.partition("/")
    if kind != "probe" and kind not in _CALLED:
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
        return said(about, Verdict.WAITING, "is being stopped", since=since)
    if container.role == "init":
        return said(
            about,
            Verdict.WAITING,
            "running" + restarts.restarted(pod, container),
            pod.logs(container),
            since,
        )
    again = restarts.may_end_again(pod, container)
    if container.ready:
        remedy = NO_REMEDY
        if container.terminated_before is not None:
            remedy = restarts.remedy(pod, container, container.terminated_before)
        told = "running, ready" + restarts.restarted(pod, container)
        told += "; it may end again" if again else ""
        verdict = Verdict.WAITING if again else Verdict.OK
        if is_marked_unready(pod.entry):
            verdict, told = Verdict.UNKNOWN, f"by its kubelet's last report: {told}"
        return said(about, verdict, told, remedy, since)
    told = "running, not ready"
    probe = probes.awaited(container)
    if probe and not probes.failures(pod, container, probe):
        told += f": its {probes.named(container, probe)} has not passed"
    told += restarts.restarted(pod, container)
    told += "; it may end again" if again else ""
    before = container.terminated_before
    remedy = pod.logs(container)
    if again and before is not None:
        remedy = restarts.remedy(pod, container, before)
    return said(about, Verdict.WAITING, told, remedy, since)


def _terminated(
    pod: SeenPod, container: Container, terminated: dict[str, JSON]
) -> Finding:
    about = container.about
    since = moment(terminated, "finishedAt")
    code = number(terminated, "exitCode")
    told = exits.ended(pod, container, terminated)
    if pod.deleting:
        # The container was asked to stop, so its exit code is no failure.
        if code == 137 and text(terminated, "reason") == "Error":
            told = "killed: it did not stop within its grace period"
        return said(about, Verdict.OK, told, since=since)
    again = restarts.will_restart(pod, container, code)
    if code == 0:
        if not again:
            return said(about, Verdict.OK, "completed", since=since)
        told += "; it will be started again, as restartPolicy is Always"
        told += _before(container)
        # One end may be an accident. A second one means that the command ends.
        verdict = Verdict.FAILING if container.restarts else Verdict.WAITING
        remedy = restarts.remedy(pod, container, terminated)
        return said(about, verdict, told, remedy, since)
    if again:
        told += f", will be restarted{_before(container)}"
    elif whole := ending.failure(pod):
        told += f"; it is not restarted, as the Pod has failed: {whole}"
    elif restarts.policy(pod, container) == "Never":
        told += "; it is not restarted (restartPolicy Never)"
    else:
        told += "; it is not restarted, as the Pod has failed"
    remedy = exits.remedy(pod, container, terminated)
    return said(about, Verdict.FAILING, told, remedy, since, final=not again)


def _before(container: Container) -> str:
    return (
        f"; restarted {many(container.restarts, 'time')} before"
        if container.restarts
        else ""
    )


def _waiting(pod: SeenPod, container: Container, waiting: dict[str, JSON]) -> Finding:
    about = container.about
    reason, message = text(waiting, "reason"), text(waiting, "message")
    if pod.deleting:
        return said(about, Verdict.OK, "does not run")
    if reason == restarts.BACK_OFF:
        return restarts.crash_loop(pod, container, message)
    if reason in _STARTING:
        latest = _latest_step(pod, container)
        if latest is None or latest.reason in ("Pulled", "Created"):
            told = "waits to be created" + restarts.restarted(pod, container)
            return said(about, Verdict.WAITING, told)
        if latest.reason == "Pulling":
            image = message_line(text(container.spec, "image"))
            return said(about, Verdict.WAITING, f"pulling image {image}")
        # The kubelet sends the Event at once, and writes the status a second later.
        reason, message = "ErrImagePull", latest.said
    if reason in _PULL:
        failed = pull_failure(pod, container, message)
        told = f"cannot pull image {failed.image}"
        told += f": {failed.why}" if failed.why else ""
        return said(about, Verdict.FAILING, told, failed.remedy)
    return refusal(pod, container, reason, message)


def _latest_step(pod: SeenPod, container: Container) -> ClusterEvent | None:
    steps = container.events(pod, "Pulling", "Pulled", "Failed", "Created")
    for each in reversed(steps):
        if each.reason != "Failed" or each.said.startswith(_PULL_FAILED):
            return each
    return None


_CHECK_COMMAND = "check command and args of container {} against its image"

_REASONS = {
    "CreateContainerConfigError": ("its configuration does not work", ""),
    "CreateContainerError": ("cannot be created", ""),
    "RunContainerError": ("cannot be started", _CHECK_COMMAND),
    "PostStartHookError": (
        "its postStart hook failed",
        "check lifecycle.postStart of container {}",
    ),
    "ImageInspectError": ("its image cannot be read on the node", ""),
    "RegistryUnavailable": ("the registry of its image is unavailable", ""),
    "SignatureValidationFailed": (
        "the signature of its image does not verify",
        "use a signed image, or change the signature policy of the node",
    ),
}
"""The kubelet's reasons for a waiting container:
https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/container/sync_result.go
and pkg/kubelet/images/types.go."""


def refusal(pod: SeenPod, container: Container, reason: str, message: str) -> Finding:
    """Return why *container* is not started, by the kubelet's *reason*."""
    about = container.about
    if reason in ("InvalidImageName", "ErrImageNeverPull"):
        image = pull_failure(pod, container, message).image
        told = f"{image or 'its image'} is no valid name of an image"
        remedy = advice("correct the image of container {}", container.name)
        if reason == "ErrImageNeverPull":
            told = f"image {image} is not on the node, and imagePullPolicy is Never"
            remedy = advice("change imagePullPolicy, or bring the image onto the node")
        return said(about, Verdict.FAILING, told, remedy, final=True)
    if absent := explained(pod, message):
        return said(about, Verdict.FAILING, absent.text, absent.remedy)
    if "runAsNonRoot" in message:
        return said(
            about,
            Verdict.FAILING,
            "its image runs as root, or as a user without a number, and runAsNonRoot "
            "forbids that",
            advice("set securityContext.runAsUser of container {}", container.name),
        )
    if reason in _REASONS:
        what, template = _REASONS[reason]
        told = _told(what, exits.start_error(message))
        remedy = advice(template, container.name) or pod.describe()
        return said(about, Verdict.FAILING, told, remedy)
    wrong = reason.startswith("Err") or reason.endswith(("Error", "BackOff", "Failed"))
    verdict = Verdict.FAILING if wrong else Verdict.WAITING
    told = _told(message_line(reason, 80), message_line(message))
    return said(about, verdict, told, pod.describe())


def _told(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what
