"""Images that cannot be had, and what else keeps a container from starting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import APP, Object, a_pod, container, reported, waiting
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen


def stuck(reason: str, message: str = "", **spec: Any) -> Object:
    app = container(state=waiting(reason, message), **spec)
    return a_pod(app, phase="Pending")


BACK_OFF = 'Back-off pulling image "shop/app:2"'
HEAD = 'Head "https://example.com/v2/":'
UNPACK = 'failed to pull and unpack image "docker.io/shop/app:2":'


@pytest.mark.parametrize(
    "row",
    [
        "ImageNotFound image=shop/app:2 < rpc error: code = NotFound desc ="
        f' {UNPACK} failed to resolve reference "docker.io/shop/app:2":'
        " docker.io/shop/app:2: not found",
        f"ImageAccessDenied image=shop/app:2 < {UNPACK} failed to resolve reference"
        ' "docker.io/shop/app:2": pull access denied, repository does not exist or may'
        " require authorization: server message: insufficient_scope: authorization"
        " failed",
        f"ImagePullRateLimited image=shop/app:2 < {UNPACK} failed to copy:"
        " httpReadSeeker: failed open: unexpected status code https://example.com/v2:"
        " 429 Too Many Requests - Server message: toomanyrequests: You have reached"
        " your unauthenticated pull rate limit.",
        f"ImagePlatformMismatch image=shop/app:2 < {UNPACK} no match for platform in"
        " manifest: not found",
        "RegistryNameUnresolved host=example.com image=shop/app:2 < failed to do"
        f" request: {HEAD} dial tcp: lookup example.com: no such host",
        f"RegistryCertificateUntrusted image=shop/app:2 < {HEAD} tls: failed to verify"
        " certificate: x509: certificate signed by unknown authority",
        f"RegistryUnreachable image=shop/app:2 < {HEAD} dial tcp 192.0.2.1:443: i/o"
        " timeout",
        f"RegistryRefuses image=shop/app:2 < {HEAD} dial tcp 192.0.2.1:443: connect:"
        " connection refused",
        "RegistryError answer=503 Service Unavailable image=shop/app:2 < unexpected"
        " status from HEAD request to https://example.com/v2/: 503 Service Unavailable",
        "NodeDiskFull image=shop/app:2 < write /var/lib/containerd/blob: no space left"
        " on device",
        f"RegistryWithoutTLS image=shop/app:2 < {HEAD} http: server gave HTTP response"
        " to HTTPS client",
        "ImagePullFailed image=shop/app:2 message=short read: the blob is odd < rpc"
        " error: code = Unknown desc = short read: the blob is odd",
    ],
)
def test_the_reason_of_a_failed_pull_is_distilled(row: str) -> None:
    """Each row is what is found, and what containerd wrote."""
    told, reason = row.split(" < ")
    pod = stuck("ImagePullBackOff", f"{BACK_OFF}: ErrImagePull: {reason}")
    (found,) = check((pod, f"container/app: {told}")).findings
    assert found.remedy and not found.final


FAILED = reported(
    "Failed",
    'Failed to pull image "shop/app:2": rpc error: code = NotFound desc = not found',
    field=APP,
)
NOT_FOUND = f'{BACK_OFF}: ErrImagePull: "docker.io/shop/app:2": not found'
PULLS: Rules = {
    # Kubelets before 1.31 wrote the reason into the Event alone.
    "a back-off without a reason takes it from the Event": (
        *(stuck("ImagePullBackOff", BACK_OFF), FAILED),
        "container/app: ImageNotFound image=shop/app:2",
    ),
    "a back-off may have no reason": (
        stuck("ImagePullBackOff", BACK_OFF),
        "container/app: ImagePullFailed image=shop/app:2",
    ),
    "a back-off without a reason is unknown where Events may not be read": (
        *(stuck("ImagePullBackOff", BACK_OFF), unseen(Event="may not list events")),
        "ImagePullBackOff failing",
        "events: EventsUnseen why=(ListForbidden resource=events)",
    ),
    "the image of the failure is named after the spec was corrected": (
        stuck("ImagePullBackOff", NOT_FOUND, image="shop/app:3"),
        "container/app: ImageNotFound image=shop/app:2",
    ),
    "a reason to wait that is not known is no failure": (
        stuck("Thinking"),
        "container/app: waiting ContainerWaiting reason=Thinking",
    ),
}


@rows(PULLS)
def test_what_is_known_of_a_pull_is_told(row: Row) -> None:
    check(row)


@pytest.mark.parametrize(
    ("reason", "message", "told", "remedy"),
    [
        (
            "InvalidImageName",
            'Failed to apply default image tag "Shop/app:2:x": couldn\'t parse image'
            ' name "Shop/app:2:x": invalid reference format',
            "InvalidImageName container=app image=shop/app:2",
            "correct the image of container app",
        ),
        (
            "ErrImageNeverPull",
            'Container image "shop/app:2" is not present with pull policy of Never',
            "ImageNeverPulled container=app image=shop/app:2",
            "change imagePullPolicy, or bring the image onto the node",
        ),
        (
            "CreateContainerConfigError",
            'configmap "settings" not found',
            "ObjectMissing kind=ConfigMap name=settings namespace=shop",
            "create ConfigMap settings in namespace shop",
        ),
        (
            "CreateContainerConfigError",
            "couldn't find key url in Secret shop/database",
            "KeyMissing key=url kind=Secret name=database namespace=shop",
            "add the key url to Secret database in namespace shop",
        ),
        (
            "CreateContainerConfigError",
            "container has runAsNonRoot and image will run as root (pod:"
            ' "web-0_shop(1)", container: app)',
            "RunsAsRoot container=app",
            "set securityContext.runAsUser of container app",
        ),
        (
            "CreateContainerError",
            "failed to reserve container name app_web-0_shop_1_0: name is reserved",
            "ContainerNotCreated container=app message=failed to reserve"
            " container name app_web-0_shop_1_0: name is reserved",
            "kubectl describe pod web-0 -n shop",
        ),
        (
            "RunContainerError",
            "failed to create containerd task: failed to create shim task: OCI runtime"
            " create failed: runc create failed: unable to start container process:"
            ' error during container init: exec: "serv": executable file not found in'
            " $PATH",
            'ContainerNotStarted container=app message=exec: "serv":'
            " executable file not found in $PATH",
            "check command and args of container app against its image",
        ),
        (
            "PostStartHookError",
            "PostStartHook failed",
            "PostStartFailed container=app message=PostStartHook failed",
            "check lifecycle.postStart of container app",
        ),
        (
            "SomethingNewError",
            "of a later release",
            "ContainerWaiting message=of a later release reason=SomethingNewError",
            "kubectl describe pod web-0 -n shop",
        ),
    ],
)
def test_a_container_that_cannot_start_has_a_remedy(
    reason: str, message: str, told: str, remedy: str
) -> None:
    told, remedy = f"container/app: {told}", f"container/app -> {remedy}"
    (found,) = check(
        (stuck(reason, message), told, remedy, f"{reason} failing")
    ).findings
    assert found.final is (reason in ("InvalidImageName", "ErrImageNeverPull"))
