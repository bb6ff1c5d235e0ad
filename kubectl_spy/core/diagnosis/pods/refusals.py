"""Explains why the kubelet or the container runtime does not start a container."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.pods import exits
from kubectl_spy.core.diagnosis.pods.images import pull_failure
from kubectl_spy.core.diagnosis.pods.missing import explained
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.remedy import advice

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


def finding(pod: SeenPod, container: Container, reason: str, message: str) -> Finding:
    """Return why *container* is not started, by the kubelet's *reason*."""
    about = container.about
    if reason == "InvalidImageName":
        failed = pull_failure(pod, container, message)
        return Finding(
            about,
            Verdict.FAILING,
            f"{failed.image or 'its image'} is no valid name of an image",
            advice("correct the image of container {}", container.name),
            final=True,
        )
    if reason == "ErrImageNeverPull":
        failed = pull_failure(pod, container, message)
        return Finding(
            about,
            Verdict.FAILING,
            f"image {failed.image} is not on the node, and imagePullPolicy is Never",
            advice("change imagePullPolicy, or bring the image onto the node"),
            final=True,
        )
    if absent := explained(pod, message):
        return Finding(about, Verdict.FAILING, absent.text, absent.remedy)
    if "runAsNonRoot" in message:
        return Finding(
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
        return Finding(about, Verdict.FAILING, told, remedy)
    wrong = reason.startswith("Err") or reason.endswith(("Error", "BackOff", "Failed"))
    verdict = Verdict.FAILING if wrong else Verdict.WAITING
    told = _told(message_line(reason, 80), message_line(message))
    return Finding(about, verdict, told, pod.describe())


def _told(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what
