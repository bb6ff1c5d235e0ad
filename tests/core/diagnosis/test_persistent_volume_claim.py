"""Whether a claim has its volume, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Object, a_claim, a_pod, a_volume, obj, reported
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
from tests.tracing import diagnosis


def told(reason: str, message: str) -> Object:
    return reported(reason, message, about="claim-uid")


PROVISIONS = 'External provisioner is provisioning volume for claim "shop/data"'
PROVISIONING = f"Provisioning {PROVISIONS}"
MISSING = 'ProvisioningFailed storageclass.storage.k8s.io "fast" not found'
NO_VOLUMES = (
    "no persistent volumes available for this claim and no storage class is set"
)
BY_HAND = (
    "Waiting for a volume to be created either by the external provisioner"
    ' "csi.example.com" or manually by the system administrator.'
)
LATER = "WaitForFirstConsumer waiting for first consumer to be created before binding"


@pytest.mark.parametrize(
    "row",
    [
        "ClaimAwaitsVolume",
        f"ClaimAwaitsPod < {LATER}",
        f"StorageClassMissing kind=StorageClass name=fast < {MISSING}",
        f"StorageClassNotSet message={NO_VOLUMES} < FailedBinding {NO_VOLUMES}",
        f"ClaimProgress message={BY_HAND} < ExternalProvisioning {BY_HAND}",
        "ProvisioningFailed message=quota exceeded < ProvisioningFailed quota exceeded"
        f" < {PROVISIONING}",
        f"ClaimProgress message={PROVISIONS} < {PROVISIONING}",
    ],
)
def test_a_claim_that_is_pending_says_what_for(row: str) -> None:
    """Each row is what is found, and the reasons and messages of Events."""
    found, *events = row.split(" < ")
    others = [told(*each.split(" ", 1)) for each in events]
    of = check((a_claim(), *others, f"binding: {found}", "= 10Gi, class fast"))
    assert (of.phase, of.verdict) == ("Pending", of.findings[0].verdict)


OTHER = {"namespace": "shop", "name": "other", "uid": "u"}
EARLIER = {"namespace": "shop", "name": "data", "uid": "earlier"}
PREBOUND = {"namespace": "shop", "name": "data"}
NO_CLASS = told(*MISSING.split(" ", 1))
UNBOUND = told("FailedBinding", NO_VOLUMES)
FIRST = told("WaitForFirstConsumer", "waiting for first consumer")
SMALL = a_volume(capacity={"storage": "1Gi"})
TAKEN = [a_volume(f"a-{each}", claimRef=OTHER) for each in range(9)]
PVS_UNSEEN = unseen(PersistentVolume="persistentvolumes are forbidden")
NAMED = a_claim(spec={"volumeName": "pv-1"})
HELD = {
    "deletionTimestamp": "2026-11-21T15:05:00Z",
    "finalizers": ["kubernetes.io/pvc-protection"],
}
USER = a_pod(
    spec={"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
)
OLD = {"annotations": {"volume.beta.kubernetes.io/storage-class": "slow"}}


def asking(**spec: Any) -> Object:
    return a_claim(spec={"accessModes": ["ReadWriteOnce"], **spec})


def going(*finalizers: str) -> Object:
    return a_claim("Bound", metadata=HELD | {"finalizers": list(finalizers)})


def resizing(kind: str) -> Object:
    condition = {"type": kind, "status": "True", "message": "m"}
    return a_claim("Bound", conditions=[condition])


CLAIMS: Rules = {
    "a claim that is pending is unknown where Events may not be read": (
        *(a_claim(), unseen(Event="may not list events")),
        "Pending unknown",
        "binding: ClaimUnseen why=(ListForbidden resource=events)",
    ),
    "a bound claim is well and names its volume": (
        a_claim("Bound", spec={"volumeName": "pvc-1"}, capacity={"storage": "20Gi"}),
        "Bound ok",
        "= 20Gi, wants 10Gi, class fast, volume pvc-1",
        "no others",
    ),
    "a lost claim has lost its volume": (
        a_claim("Lost", spec={"volumeName": "pvc-1"}),
        "Lost failing",
        "binding: VolumeLost volume=pvc-1",
    ),
    "a resize is reported": (
        resizing("Resizing"),
        "Bound ok",
        "condition/Resizing: VolumeResizing",
    ),
    "a resize of a file system is reported": (
        resizing("FileSystemResizePending"),
        "Bound ok",
        "condition/FileSystemResizePending: FileSystemResizePending",
    ),
    "a resize that fails is reported": (
        resizing("ControllerResizeError"),
        "Bound failing",
        "condition/ControllerResizeError: VolumeResizeFailed message=m",
    ),
    "a claim that is deleted names the Pod that holds it": (
        *(a_claim("Bound", metadata=HELD), USER),
        "Terminating waiting",
        "deletion: ClaimDeleting used users=[web-0]",
    ),
    "a claim that is deleted may be held by a Pod that is not seen": (
        a_claim("Bound", metadata=HELD),
        "deletion: ClaimDeleting used",
    ),
    "a claim that is deleted names another finalizer": (
        going("example.com/x"),
        "deletion: ClaimDeleting finalizers=[example.com/x]",
    ),
    "a claim that is deleted may be free": (going(), "deletion: ClaimDeleting"),
    "a volume that does not fit says so of all that is asked for": (
        *(asking(), NO_CLASS),
        a_volume(capacity={"storage": "1Gi"}, accessModes=[], volumeMode="Block"),
        "binding ~ VolumeUnfit reasons=[(VolumeTooSmall asked=10Gi has=1Gi), "
        "(VolumeModesLacking modes=[ReadWriteOnce]), (VolumeModeDiffers "
        "mode=Block)] volume=pv-1",
    ),
    "those that are free come first and others are counted": (
        *(asking(), NO_CLASS, *TAKEN, a_volume("small", capacity={"storage": "1Gi"})),
        "binding: NoVolumeFits misfits=[(VolumeUnfit "
        "reasons=[(VolumeTooSmall asked=10Gi has=1Gi)] volume=small), "
        "(VolumeUnfit reasons=[(VolumeTaken claim=shop/other)] volume=a-0), "
        "(VolumeUnfit reasons=[(VolumeTaken claim=shop/other)] volume=a-1), "
        "(VolumeUnfit reasons=[(VolumeTaken claim=shop/other)] volume=a-2)] "
        "more=6 name=fast",
    ),
    "a volume that fits is about to be bound": (
        *(asking(), NO_CLASS, a_volume()),
        "Pending waiting",
        "binding: VolumeUnbound volume=pv-1",
    ),
    "a volume that was meant for it is about to be bound": (
        *(asking(), NO_CLASS, a_volume(phase="Pending", claimRef=PREBOUND)),
        "binding: VolumeUnbound volume=pv-1",
    ),
    "a class without volumes has to exist": (
        *(asking(), NO_CLASS, a_volume(storageClassName="slow")),
        "binding: StorageClassMissing kind=StorageClass name=fast",
    ),
    "without a class a volume may not fit": (
        *(a_claim(spec={"storageClassName": ""}), UNBOUND),
        a_volume(storageClassName="", capacity={"storage": "1Gi"}),
        "binding: NoVolumeFits misfits=[(VolumeUnfit "
        "reasons=[(VolumeTooSmall asked=10Gi has=1Gi)] volume=pv-1)]",
    ),
    "without volumes in sight no other class is advised": (
        *(a_claim(), NO_CLASS, PVS_UNSEEN),
        "binding: StorageClassMissing kind=StorageClass name=fast "
        "why=(ListRefused message=persistentvolumes are forbidden)",
        "binding -> look for a volume of that class: kubectl get storageclass,pv",
    ),
    "an unsuitable local volume is named": (
        a_claim(),
        FIRST,
        SMALL,
        "binding: ClaimAwaitsPod misfits=[(VolumeUnfit "
        "reasons=[(VolumeTooSmall asked=10Gi has=1Gi)] volume=pv-1)]",
    ),
    "a local volume of another claim is not": (
        *(a_claim(), FIRST, a_volume(claimRef=OTHER)),
        "binding: ClaimAwaitsPod",
    ),
    "an unsuitable local volume is not named beside one that fits": (
        *(a_claim(), FIRST, SMALL, a_volume("pv-2")),
        "binding: ClaimAwaitsPod",
    ),
    "the volume that a claim names does not exist": (
        NAMED,
        "binding: ClaimAwaitsVolume gone volume=pv-1",
    ),
    "the volume that a claim names is taken": (
        *(NAMED, a_volume(claimRef=OTHER)),
        "binding: ClaimAwaitsVolume reasons=[(VolumeTaken claim=shop/other)] "
        "volume=pv-1",
    ),
    "a claim waits for the volume that it names": (
        NAMED,
        a_volume(),
        "binding: ClaimAwaitsVolume volume=pv-1",
    ),
    "a claim waits for a volume that is not seen": (
        NAMED,
        PVS_UNSEEN,
        "binding: ClaimAwaitsVolume volume=pv-1",
    ),
    "the class may be in the annotation of old": (
        a_claim(metadata=OLD, spec={"storageClassName": None}),
        "= 10Gi, class slow",
    ),
    "a claim may have no class": (
        a_claim(spec={"storageClassName": ""}),
        "= 10Gi, no storage class",
    ),
}


@rows(CLAIMS)
def test_claims_say_what_they_lack(row: Row) -> None:
    check(row)


@pytest.mark.parametrize(
    ("claim", "final"),
    [
        (a_claim("Lost", spec={"volumeName": "pvc-1"}), [True, [True]]),
        (
            a_claim(
                "Bound",
                allocatedResourceStatuses={"storage": "ControllerResizeInfeasible"},
            ),
            [False, [True]],
        ),
    ],
)
def test_what_is_impossible_is_final(claim: Object, final: list[Any]) -> None:
    of = diagnosis(claim)
    assert of.verdict.value == "failing"
    assert [of.final, [each.final for each in of.findings]] == final


@pytest.mark.parametrize(
    ("volume", "why"),
    [
        (a_volume(capacity={"storage": "10G"}), "VolumeTooSmall asked=10Gi has=10G"),
        (
            a_volume(accessModes=["ReadOnlyMany"]),
            "VolumeModesLacking modes=[ReadWriteOnce]",
        ),
        (a_volume(volumeMode="Block"), "VolumeModeDiffers mode=Block"),
        (a_volume(claimRef=OTHER), "VolumeTaken claim=shop/other"),
        (
            a_volume(phase="Released", claimRef=EARLIER),
            "VolumeReleased claim=shop/data",
        ),
        (a_volume(phase="Failed"), "VolumeNotAvailable phase=Failed"),
        (a_volume(metadata={"deletionTimestamp": "x"}), "VolumeDeleting"),
        (
            a_volume(volumeAttributesClassName="gold"),
            "VolumeAttributesDiffer name=gold",
        ),
        (a_volume(metadata={"labels": {"disk": "hdd"}}), "VolumeUnselected"),
    ],
)
def test_unsuitable_volumes_are_explained(volume: Object, why: str) -> None:
    selector = {"matchLabels": {"disk": "ssd"}}
    asks = {"selector": selector} if "labels" in volume["metadata"] else {}
    unfit = f"(VolumeUnfit reasons=[({why})] volume=pv-1)"
    check(
        (
            *(asking(**asks), NO_CLASS, volume),
            a_volume("slow", storageClassName="slow"),
            f"binding: NoVolumeFits misfits=[{unfit}] name=fast",
            "binding -> add one that fits, or change the claim: kubectl get pv",
        )
    )


LOCAL = obj("StorageClass", "fast", None, provisioner="kubernetes.io/no-provisioner")
NO_PLUGIN = told(
    "ProvisioningFailed", "no volume plugin matched name: kubernetes.io/no-provisioner"
)
CREATE = (
    "binding -> create a PersistentVolume of class fast with 10Gi and access mode"
    " ReadWriteOnce,ReadOnlyMany"
)
BOTH_MODES = ["ReadWriteOnce", "ReadOnlyMany"]


TOO_SMALL = (
    "misfits=[(VolumeUnfit reasons=[(VolumeTooSmall asked=10Gi has=1Gi),"
    " (VolumeModesLacking modes=[ReadOnlyMany])] volume=pv-1)]"
)
HIDDEN = "why=(ListRefused message=persistentvolumes are forbidden)"


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ((NO_PLUGIN,), "binding: ClassMakesNoVolumes{} name=fast{}"),
        ((NO_PLUGIN, LOCAL), "binding: ClassMakesNoVolumes{} name=fast{}"),
        (
            (FIRST, LOCAL),
            "binding: ClaimAwaitsPod none=(ClassMakesNoVolumes{} name=fast{})",
        ),
    ],
)
def test_a_class_that_makes_no_volumes_says_what_to_create(
    others: tuple[Object, ...], told: str
) -> None:
    claim = a_claim(spec={"accessModes": BOTH_MODES})
    slow = a_volume(storageClassName="slow")
    check((claim, *others, slow, told.format("", ""), CREATE))
    check((claim, *others, SMALL, told.format(f" {TOO_SMALL}", ""), CREATE))
    check((claim, *others, PVS_UNSEEN, told.format("", f" {HIDDEN}"), CREATE))
    fits = a_volume(accessModes=BOTH_MODES)
    assert "MakesNo" not in str(diagnosis(claim, *others, fits).findings)
