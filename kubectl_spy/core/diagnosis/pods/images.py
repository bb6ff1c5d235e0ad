"""Explains why an image cannot be pulled."""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import text
from kubectl_spy.core.remedy import Remedy, advice


class PullFailure(NamedTuple):
    """An image that cannot be pulled."""

    image: str
    why: str
    remedy: Remedy


_CHECK_TAG = (
    "check the image's name and tag; for a private registry add imagePullSecrets"
)
_CHECK_NODE = "check that the node can reach the registry (DNS, proxy, firewall)"
_CHECK_NAME = "check the registry's name in the image, and the node's DNS"

_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        r"no match for platform|no matching manifest for",
        "it is not built for the node's platform",
        "build the image for the node's architecture, or choose other nodes",
    ),
    (
        r"toomanyrequests|429 Too Many Requests",
        "the registry limits how often it may be pulled (429 Too Many Requests)",
        "add imagePullSecrets of an account with a higher limit, or use a mirror",
    ),
    (
        r"401 Unauthorized|403 Forbidden|[Uu]nauthorized|authentication required"
        r"|access denied|\bdenied\b|insufficient_scope|no basic auth credentials",
        "the registry denies access, or has no such image",
        "check the image's name; for a private registry add imagePullSecrets",
    ),
    (
        r"lookup (?P<host>[^\s:]+)(?: on \S+)?: "
        r"(?:no such host|i/o timeout|server misbehaving|Temporary failure)",
        "the node cannot resolve the registry's host {host}",
        _CHECK_NAME,
    ),
    (
        r"x509|failed to verify certificate",
        "the node does not trust the registry's certificate",
        "let the container runtime of the node trust the registry's CA",
    ),
    (
        r"server gave HTTP response to HTTPS client",
        "the registry speaks HTTP, and the node asks with HTTPS",
        "give the registry a certificate, or configure it as insecure on the node",
    ),
    (r"connection refused", "the registry refuses connections", _CHECK_NODE),
    (
        r"i/o timeout|deadline exceeded|handshake timeout|Client\.Timeout"
        r"|no route to host|network is unreachable|connection reset",
        "the node cannot reach the registry",
        _CHECK_NODE,
    ),
    (
        r"no space left on device",
        "the node has no disk space left",
        "free disk space on the node",
    ),
    (
        r"(?P<answer>50[0234] [A-Z][A-Za-z ]+)",
        "the registry answers {answer}",
        "try again later, or ask who runs the registry",
    ),
    (
        r"not found|manifest unknown|manifest invalid|does not exist|NotFound",
        "the registry has no such image or tag",
        _CHECK_TAG,
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


def pull_failure(pod: SeenPod, container: Container, message: str) -> PullFailure:
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
    if not reason:
        return PullFailure(image, "", advice(_CHECK_TAG))
    for pattern, why, remedy in _CAUSES:
        if found := re.search(pattern, reason):
            named = {name: value.strip() for name, value in found.groupdict().items()}
            return PullFailure(image, why.format(**named), advice(remedy))
    return PullFailure(image, message_line(_unwrapped(reason)), advice(_CHECK_TAG))


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
    return reason
