"""Images that cannot be had, and what else keeps a container from starting."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import APP, a_pod, container, reported, waiting
from tests.tracing import diagnosis, found

WAITING, FAILING = Verdict.WAITING, Verdict.FAILING


def told(result: Diagnosis, about: str = "container/app") -> Finding:
    (finding,) = [each for each in result.findings if each.about == about]
    return finding


def pulled(message: str, *events: dict[str, Any], image: str = "shop/app:2") -> Finding:
    app = container(state=waiting("ImagePullBackOff", message), image=image)
    return told(diagnosis(a_pod(app, phase="Pending"), *events))


BACK_OFF = 'Back-off pulling image "shop/app:2"'


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        (
            "rpc error: code = NotFound desc = failed to pull and unpack image "
            '"docker.io/'
            'shop/app:2": failed to resolve reference "docker.io/shop/app:2": '
            "docker.io/shop/app:2: not found",
            "the registry has no such image or tag",
        ),
        (
            'failed to pull and unpack image "docker.io/shop/app:2": failed to resolve '
            'reference "docker.io/shop/app:2": pull access denied, repository does not '
            "exist or may require authorization: server message: insufficient_scope: "
            "authorization failed",
            "the registry denies access, or has no such image",
        ),
        (
            'failed to pull and unpack image "docker.io/shop/app:2": failed to copy: '
            "httpReadSeeker: failed open: unexpected status code "
            "https://example.com/v2: "
            "429 Too Many Requests - Server message: toomanyrequests: You have reached "
            "your unauthenticated pull rate limit.",
            "the registry limits how often it may be pulled (429 Too Many Requests)",
        ),
        (
            'failed to pull and unpack image "docker.io/shop/app:2": no match for '
            "platform in manifest: not found",
            "it is not built for the node's platform",
        ),
        (
            'failed to do request: Head "https://example.com/v2/": dial tcp: lookup '
            "example.com: no such host",
            "the node cannot resolve the registry's host example.com",
        ),
        (
            'Head "https://example.com/v2/": tls: failed to verify certificate: x509: '
            "certificate signed by unknown authority",
            "the node does not trust the registry's certificate",
        ),
        (
            'Head "https://example.com/v2/": dial tcp 192.0.2.1:443: i/o timeout',
            "the node cannot reach the registry",
        ),
        (
            'Head "https://example.com/v2/": dial tcp 192.0.2.1:443: connect: '
            "connection refused",
            "the registry refuses connections",
        ),
        (
            "unexpected status from HEAD request to https://example.com/v2/: "
            "503 Service Unavailable",
            "the registry answers 503 Service Unavailable",
        ),
        (
            "write /var/lib/containerd/blob: no space left on device",
            "the node has no disk space left",
        ),
        (
            'Head "https://example.com/v2/": http: server gave HTTP response to HTTPS '
            "client",
            "the registry speaks HTTP, and the node asks with HTTPS",
        ),
        (
            "rpc error: code = Unknown desc = short read: the blob is odd",
            "short read: the blob is odd",
        ),
    ],
)
def test_the_reason_of_a_failed_pull_is_distilled(reason: str, why: str) -> None:
    finding = pulled(f"{BACK_OFF}: ErrImagePull: {reason}")
    assert text_of(finding) == f"cannot pull image shop/app:2: {why}"
    assert finding.verdict is FAILING and finding.remedy and not finding.final


def test_a_back_off_without_a_reason_takes_it_from_the_event() -> None:
    """Kubelets before 1.31 wrote the reason into the Event alone."""
    failed = reported(
        "Failed",
        'Failed to pull image "shop/app:2": rpc error: code = NotFound desc = '
        "not found",
        field=APP,
    )
    assert text_of(pulled(BACK_OFF, failed)) == (
        "cannot pull image shop/app:2: the registry has no such image or tag"
    )
    assert text_of(pulled(BACK_OFF)) == "cannot pull image shop/app:2"


def test_a_back_off_without_a_reason_is_unknown_where_events_may_not_be_read() -> None:
    app = container(state=waiting("ImagePullBackOff", BACK_OFF))
    pod = a_pod(app, phase="Pending")
    result = diagnosis(pod, unseen={"Event": "may not list events"})
    assert found(result, "events") == (
        Verdict.UNKNOWN,
        "unknown: may not list events, and Events may say why",
    )
    assert result.verdict is FAILING


def test_the_image_of_the_failure_is_named_after_the_spec_was_corrected() -> None:
    message = f'{BACK_OFF}: ErrImagePull: "docker.io/shop/app:2": not found'
    assert "image shop/app:2:" in text_of(pulled(message, image="shop/app:3"))


@pytest.mark.parametrize(
    ("reason", "message", "text", "remedy", "final"),
    [
        (
            "InvalidImageName",
            'Failed to apply default image tag "Shop/app:2:x": couldn\'t parse '
            "image name "
            '"Shop/app:2:x": invalid reference format',
            "shop/app:2 is no valid name of an image",
            "correct the image of container app",
            True,
        ),
        (
            "ErrImageNeverPull",
            'Container image "shop/app:2" is not present with pull policy of Never',
            "image shop/app:2 is not on the node, and imagePullPolicy is Never",
            "change imagePullPolicy, or bring the image onto the node",
            True,
        ),
        (
            "CreateContainerConfigError",
            'configmap "settings" not found',
            "ConfigMap settings does not exist",
            "create ConfigMap settings in namespace shop",
            False,
        ),
        (
            "CreateContainerConfigError",
            "couldn't find key url in Secret shop/database",
            "Secret database has no key url",
            "add the key url to Secret database in namespace shop",
            False,
        ),
        (
            "CreateContainerConfigError",
            "container has runAsNonRoot and image will run as root (pod: "
            '"web-0_shop(1)"'
            ", container: app)",
            "its image runs as root, or as a user without a number, and runAsNonRoot "
            "forbids that",
            "set securityContext.runAsUser of container app",
            False,
        ),
        (
            "CreateContainerError",
            "failed to reserve container name app_web-0_shop_1_0: name is reserved",
            "cannot be created: failed to reserve container name app_web-0_shop_1_0: "
            "name is reserved",
            "kubectl describe pod web-0 -n shop",
            False,
        ),
        (
            "RunContainerError",
            "failed to create containerd task: failed to create shim task: OCI runtime "
            "create failed: runc create failed: unable to start container "
            "process: error "
            'during container init: exec: "serv": executable file not found in $PATH',
            'cannot be started: exec: "serv": executable file not found in $PATH',
            "check command and args of container app against its image",
            False,
        ),
        (
            "PostStartHookError",
            "PostStartHook failed",
            "its postStart hook failed: PostStartHook failed",
            "check lifecycle.postStart of container app",
            False,
        ),
        (
            "SomethingNewError",
            "of a later release",
            "SomethingNewError: of a later release",
            "kubectl describe pod web-0 -n shop",
            False,
        ),
    ],
)
def test_a_container_that_cannot_start_has_a_remedy(
    reason: str, message: str, text: str, remedy: str, final: bool
) -> None:
    app = container(state=waiting(reason, message))
    result = diagnosis(a_pod(app, phase="Pending"))
    finding = told(result)
    assert result.phase == reason and result.verdict is FAILING
    assert (text_of(finding), finding.remedy) == (text, remedy)
    assert finding.final is final


def test_a_reason_to_wait_that_is_not_known_is_no_failure() -> None:
    result = diagnosis(a_pod(container(state=waiting("Thinking")), phase="Pending"))
    assert found(result, "container/app") == (WAITING, "Thinking")
