"""What containers need before they are created: volumes, claims, a network."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    APP,
    CREATING,
    READY,
    a_claim,
    a_pod,
    container,
    reported,
    running,
    waiting,
)
from tests.tracing import diagnosis, found

WAITING, FAILING = Verdict.WAITING, Verdict.FAILING

NOT_ALLOWED = {"Event": "may not list events in namespace shop"}


def creating(*events: dict[str, Any], **spec: Any) -> Diagnosis:
    app = container(state=waiting("ContainerCreating"))
    pod = a_pod(app, phase="Pending", conditions=CREATING, spec=spec)
    return diagnosis(pod, *events)


@pytest.mark.parametrize(
    ("reason", "message", "what", "verdict", "text"),
    [
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "tls" : secret "tls-web" not found',
            "volume/tls",
            FAILING,
            "Secret tls-web does not exist",
        ),
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "cfg" : configmap references '
            "non-existent config key: app.conf",
            "volume/cfg",
            FAILING,
            "its ConfigMap has no key app.conf",
        ),
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "cfg" : failed to sync '
            "configmap cache: "
            "timed out waiting for the condition",
            "volume/cfg",
            WAITING,
            "cannot be mounted: failed to sync configmap cache: "
            "timed out waiting for the condition",
        ),
        (
            "FailedMount",
            "Unable to attach or mount volumes: unmounted volumes=[a b], unattached "
            "volumes=[a b], failed to process volumes=[]: timed out waiting for the "
            "condition",
            "volumes",
            FAILING,
            "volumes a and b could not be mounted in time",
        ),
        (
            "FailedAttachVolume",
            'AttachVolume.Attach failed for volume "pvc-1" : rpc error: no such disk',
            "volume/pvc-1",
            FAILING,
            "cannot be attached: rpc error: no such disk",
        ),
        (
            "FailedMount",
            'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: '
            "attacher.MountDevice failed to create newCsiDriverClient: driver name "
            "csi.example.org not found in the list of registered CSI drivers",
            "volume/pvc-1",
            FAILING,
            "the CSI driver csi.example.org does not run on node-1",
        ),
        (
            "FailedAttachVolume",
            'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) '
            "web-1",
            "volume/pvc-1",
            FAILING,
            "it is attached to another node: Volume is already used by pod(s) web-1",
        ),
        (
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to "
            'setup network for sandbox "4f1c": plugin type="calico" failed (add): no '
            "address",
            "sandbox",
            FAILING,
            'the Pod gets no network: plugin type="calico" failed (add): no address',
        ),
        (
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: rpc error: code = Unknown desc = no space",
            "sandbox",
            FAILING,
            "the Pod's sandbox cannot be created: no space",
        ),
        (
            "NetworkNotReady",
            "network is not ready: container runtime network not ready: "
            "NetworkReady=false reason:NetworkPluginNotReady message:Network plugin "
            "returns error: cni plugin not initialized",
            "sandbox",
            FAILING,
            "the Pod gets no network: Network plugin returns error: cni plugin not "
            "initialized",
        ),
    ],
)
def test_causes_of_a_stuck_creation_are_reported(
    reason: str, message: str, what: str, verdict: Verdict, text: str
) -> None:
    result = creating(reported(reason, message))
    assert found(result, what) == (verdict, text)
    assert result.verdict is verdict


def test_the_cause_replaces_the_time_out() -> None:
    result = creating(
        reported("FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd'),
        reported(
            "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[a]"
        ),
    )
    assert [each.about for each in result.findings] == ["volume/a", "container/app"]


def test_a_sandbox_ends_earlier_obstacles() -> None:
    app = container(state=waiting("ContainerCreating"))
    ready = CREATING | {"PodReadyToStartContainers": "True"}
    pod = a_pod(app, phase="Pending", conditions=ready)
    mount = reported(
        "FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd'
    )
    assert [each.about for each in diagnosis(pod, mount).findings] == ["container/app"]
    pulling = reported(
        "Pulling", 'Pulling image "shop/app:2"', field=APP, kind="Normal"
    )
    assert [text_of(each) for each in creating(mount, pulling).findings] == [
        "pulling image shop/app:2"
    ]


def test_missing_events_are_reported_once() -> None:
    app, side = (container(each, waiting("ContainerCreating")) for each in ("app", "b"))
    pod = a_pod(app, side, phase="Pending", conditions=CREATING)
    result = diagnosis(pod, unseen=NOT_ALLOWED)
    assert [
        each.about for each in result.findings if each.verdict is Verdict.UNKNOWN
    ] == ["events"]
    up = a_pod(container(state=running(), ready=True), conditions=READY)
    assert len(diagnosis(up, unseen=NOT_ALLOWED).findings) == 1


VOLUMES = [
    {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}},
    {"name": "cache", "emptyDir": {}},
]


def test_a_claim_that_is_not_bound_is_a_child_and_a_finding_with_its_reason() -> None:
    failed = reported(
        "ProvisioningFailed",
        'storageclass.storage.k8s.io "fast" not found',
        about="claim-uid",
    )
    result = creating(
        a_claim("Pending", "data-web-0"), failed, nodeName="", volumes=VOLUMES
    )
    assert result.children is not None
    assert [(each.uid, each.role) for each in result.children] == [
        ("claim-uid", "volume data")
    ]
    assert found(result, "volume/data") == (
        FAILING,
        "PersistentVolumeClaim data-web-0 is Pending: StorageClass fast does not exist",
    )


def test_a_time_out_without_volumes_is_shown_as_it_is() -> None:
    result = creating(reported("FailedMount", "it took too long"))
    assert found(result, "volumes") == (FAILING, "it took too long")


def test_a_claim_that_is_bound_or_not_seen_is_not_spoken_of() -> None:
    bound = creating(a_claim("Bound", "data-web-0"), volumes=VOLUMES)
    unseen = creating(volumes=[*VOLUMES, {"name": "tmp", "ephemeral": {"x": 1}}])
    for result in (bound, unseen):
        assert result.children == ()
        assert [each.about for each in result.findings] == ["container/app"]


def test_a_volume_is_called_as_the_pod_calls_it() -> None:
    failed = reported(
        "FailedAttachVolume", 'AttachVolume.Attach failed for volume "pvc-1" : no disk'
    )
    bound = a_claim("Bound", "data-web-0", spec={"volumeName": "pvc-1"})
    other = failed | {"message": failed["message"].replace("pvc-1", "pvc-2")}
    about = [each.about for each in creating(bound, other, volumes=VOLUMES).findings]
    assert about[0] == "volume/pvc-2"
    assert found(creating(bound, failed, volumes=VOLUMES), "volume/data") == (
        FAILING,
        "cannot be attached: no disk",
    )
