"""Explains why an image cannot be pulled."""

from __future__ import annotations

import re

from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import text

_CAUSES: tuple[tuple[str, str], ...] = (
    (r"no match for platform|no matching manifest for", "ImagePlatformMismatch"),
    (r"toomanyrequests|429 Too Many Requests", "ImagePullRateLimited"),
    (
        r"401 Unauthorized|403 Forbidden|[Uu]nauthorized|authentication required"
        r"|access denied|\bdenied\b|insufficient_scope|no basic auth credentials",
        "ImageAccessDenied",
    ),
    (
        r"lookup (?P<host>[^\s:]+)(?: on \S+)?: "
        r"(?:no such host|i/o timeout|server misbehaving|Temporary failure)",
        "RegistryNameUnresolved",
    ),
    (r"x509|failed to verify certificate", "RegistryCertificateUntrusted"),
    (r"server gave HTTP response to HTTPS client", "RegistryWithoutTLS"),
    (r"connection refused", "RegistryRefuses"),
    (
        r"i/o timeout|deadline exceeded|handshake timeout|Client\.Timeout"
        r"|no route to host|network is unreachable|connection reset",
        "RegistryUnreachable",
    ),
    (r"no space left on device", "NodeDiskFull"),
    (r"(?P<answer>50[0234] [A-Z][A-Za-z ]+)", "RegistryError"),
    (
        r"not found|manifest unknown|manifest invalid|does not exist|NotFound",
        "ImageNotFound",
    ),
)
"""The messages of containerd and CRI-O, the most specific first."""

_NAMED = re.compile(r'image "(?P<image>[^"]+)"')
_BACK_OFF = re.compile(r'^Back-off pulling image "[^"]*"(?:: (?:ErrImagePull: )?)?')
_WRAPPED = re.compile(
    r"^(?:rpc error: code = \w+ desc = |failed to pull and unpack image \S+: "
    r"|failed to resolve (?:reference|image) \S+: |Failed to pull image \S+: "
    r"|failed to do request: |Error response from daemon: )"
)


def pull_failure(pod: SeenPod, container: Container, message: str) -> Fact:
    """Return which image of *container* cannot be pulled, and why.

    *message* is the kubelet's. Before 1.31 it may say only that the kubelet waits
    before it tries again. Then the reason comes from earlier Events.
    """
    message = brief(message)
    image = _image(container, message)
    reason = _BACK_OFF.sub("", message)
    if not reason:
        reports = [
            each.said
            for each in container.events(pod, "Failed")
            if f'image "{image}"' in each.message
        ]
        reason = brief(reports[-1]) if reports else ""
    for pattern, code in _CAUSES if reason else ():
        if found := re.search(pattern, reason):
            named = {name: value.strip() for name, value in found.groupdict().items()}
            return fact(code, image=image, **named)
    return fact("ImagePullFailed", image=image, message=_unwrapped(reason))


def _image(container: Container, message: str) -> str:
    """Return the image that *message* is about.

    Just after a correction of the spec it is the old image. The runtime also writes
    names in full: docker.io/library/nginx:1.13 for nginx:1.13.
    """
    wanted = text(container.spec, "image")
    found = _NAMED.search(message)
    if found is None or not found["image"]:
        return wanted
    for image in (wanted, text(container.status, "image")):
        if image and f"/{found['image']}".endswith(f"/{image}"):
            return image
    return re.sub(r"^docker\.io/(library/)?", "", found["image"])


def _unwrapped(reason: str) -> str:
    """Return *reason* without the prefixes of the runtime and the kubelet."""
    while (shorter := _WRAPPED.sub("", reason)) != reason:
        reason = shorter
    return message_line(reason)
