"""What containers need before they are created: volumes, claims, a network."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Verdict
from tests.builders import (
    APP,
    CREATING,
    READY,
    Object,
    a_claim,
    a_pod,
    container,
    reported,
    running,
    waiting,
)
from tests.core.diagnosis.cases import Row, Rules, check, rows
from tests.tracing import diagnosis

NOT_ALLOWED = {"Event": "may not list events in namespace shop"}
STUCK = container(state=waiting("ContainerCreating"))


def creating(
    *more: Object, conditions: Any = CREATING, **spec: Any
) -> tuple[Object, ...]:
    """Return a Pod that waits to be created, and what else there is."""
    return (a_pod(STUCK, phase="Pending", conditions=conditions, spec=spec), *more)


SETUP = "FailedMount MountVolume.SetUp failed for volume"
SANDBOX = "FailedCreatePodSandBox Failed to create pod sandbox: rpc error:"


@pytest.mark.parametrize(
    "row",
    [
        "volume/tls: ObjectMissing kind=Secret name=tls-web namespace=shop"
        f' < {SETUP} "tls" : secret "tls-web" not found',
        f'volume/cfg: KeyMissing key=app.conf kind=ConfigMap < {SETUP} "cfg" :'
        " configmap references non-existent config key: app.conf",
        "volume/cfg: waiting MountFailed message=failed to sync configmap cache: timed"
        f' out waiting for the condition < {SETUP} "cfg" : failed to sync configmap'
        " cache: timed out waiting for the condition",
        "volumes: MountTimedOut volumes=[a, b] < FailedMount Unable to attach or"
        " mount volumes: unmounted volumes=[a b], unattached volumes=[a b], failed to"
        " process volumes=[]: timed out waiting for the condition",
        "volumes: MountTimedOut message=it took too long <"
        " FailedMount it took too long",
        "volume/pvc-1: AttachFailed message=rpc error: no such disk <"
        ' FailedAttachVolume AttachVolume.Attach failed for volume "pvc-1" : rpc error:'
        " no such disk",
        "volume/pvc-1: CSIDriverMissing driver=csi.example.org node=node-1 <"
        ' FailedMount MountVolume.MountDevice failed for volume "pvc-1" :'
        " kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient:"
        " driver name csi.example.org not found in the list of registered CSI drivers",
        "volume/pvc-1: VolumeInUse message=Volume is already used by pod(s) web-1 <"
        ' FailedAttachVolume Multi-Attach error for volume "pvc-1" Volume is already'
        " used by pod(s) web-1",
        'sandbox: NetworkMissing message=plugin type="calico" failed (add): no address'
        f" < {SANDBOX} code = Unknown desc = failed to setup network for sandbox"
        ' "4f1c": plugin type="calico" failed (add): no address',
        "sandbox: SandboxFailed message=no space <"
        f" {SANDBOX} code = Unknown desc = no space",
        "sandbox: NetworkMissing message=Network plugin returns error: cni plugin not"
        " initialized < NetworkNotReady network is not ready: container runtime network"
        " not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network"
        " plugin returns error: cni plugin not initialized",
    ],
)
def test_causes_of_a_stuck_creation_are_reported(row: str) -> None:
    """Each row is what is found, and the reason and the message of an Event."""
    told, event = row.split(" < ")
    of = check((*creating(reported(*event.split(" ", 1))), told))
    assert of.verdict is of.findings[0].verdict


ODD = reported("FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd')
LATE = reported(
    "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[a]"
)
PULLING = reported("Pulling", 'Pulling image "shop/app:2"', field=APP, kind="Normal")
NO_CLASS = reported(
    "ProvisioningFailed",
    'storageclass.storage.k8s.io "fast" not found',
    about="claim-uid",
)
VOLUMES = [
    {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}},
    {"name": "cache", "emptyDir": {}},
]
UNSEEN = [*VOLUMES, {"name": "tmp", "ephemeral": {"x": 1}}]
BOUND = a_claim("Bound", "data-web-0", spec={"volumeName": "pvc-1"})
WAITS = "container/app: ContainerCreating"


def no_disk(name: str) -> Object:
    failed = f'AttachVolume.Attach failed for volume "{name}" : no disk'
    return reported("FailedAttachVolume", failed)


OBSTACLES: Rules = {
    "the cause replaces the time out": (
        *creating(ODD, LATE),
        "volume/a: MountFailed message=it is odd",
        WAITS,
        "no others",
    ),
    "a sandbox ends earlier obstacles": (
        *creating(ODD, conditions=CREATING | {"PodReadyToStartContainers": "True"}),
        WAITS,
        "no others",
    ),
    "a pull ends earlier obstacles": (
        *creating(ODD, PULLING),
        "container/app: PullingImage image=shop/app:2",
        "no others",
    ),
    "a claim that is bound is not spoken of": (
        *creating(BOUND, volumes=VOLUMES),
        WAITS,
        "no others",
    ),
    "a claim that is not seen is not spoken of": (
        *creating(volumes=UNSEEN),
        WAITS,
        "no others",
    ),
    "a volume is called as the Pod calls it": (
        *creating(BOUND, no_disk("pvc-1"), volumes=VOLUMES),
        "volume/data: AttachFailed message=no disk",
    ),
    "another volume has its own name": (
        *creating(BOUND, no_disk("pvc-2"), volumes=VOLUMES),
        "volume/pvc-2: AttachFailed message=no disk",
    ),
}


@rows(OBSTACLES)
def test_obstacles_are_told_once_and_while_they_stand(row: Row) -> None:
    assert check(row).children == ()


def test_a_claim_that_is_not_bound_is_a_child_and_a_finding_with_its_reason() -> None:
    claim = a_claim("Pending", "data-web-0")
    row = creating(claim, NO_CLASS, nodeName="", volumes=VOLUMES)
    of = check(
        (
            *row,
            "volume/data: failing ClaimNotBound claim=data-web-0 phase=Pending"
            " why=(StorageClassMissing kind=StorageClass name=fast)",
        )
    )
    (child,) = of.children or ()
    assert (child.uid, child.role) == ("claim-uid", "volume data")


def test_missing_events_are_reported_once() -> None:
    both = (STUCK, container("b", waiting("ContainerCreating")))
    pod = a_pod(*both, phase="Pending", conditions=CREATING)
    found = diagnosis(pod, unseen=NOT_ALLOWED).findings
    assert [it.about for it in found if it.verdict is Verdict.UNKNOWN] == ["events"]
    up = a_pod(container(state=running(), ready=True), conditions=READY)
    assert len(diagnosis(up, unseen=NOT_ALLOWED).findings) == 1
