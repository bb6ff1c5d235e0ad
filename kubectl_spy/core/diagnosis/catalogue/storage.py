"""Facts about claims and volumes."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_VOLUMES = "https://kubernetes.io/docs/concepts/storage/persistent-volumes/"
_CLASSES = "https://kubernetes.io/docs/concepts/storage/storage-classes/"
_FITS = "fits: {misfits,; }[; and {more} more]"
_FAILED = ("ProvisioningFailed", "FailedBinding")

CLAIMS = (
    Code(
        "VolumeLost",
        "its volume {volume} is gone, and what was on it",
        remedy="restore the PersistentVolume, or delete the claim and make it anew",
        final=True,
        page=_VOLUMES,
    ),
    Code("ProvisioningFailed", "{message}", explains=_FAILED),
    Code(
        "ClassMakesNoVolumes",
        "StorageClass {name} makes no volumes[; whether a PersistentVolume fits is "
        f"unknown: {{why}}|, and no PersistentVolume of it {_FITS}"
        "|, and no PersistentVolume of it is there]",
        explains=(*_FAILED, "WaitForFirstConsumer"),
        page=f"{_CLASSES}#local",
        grace=0.0,
    ),
    Code(
        "ClaimAwaitsPod",
        "it gets a volume when a Pod that uses it is scheduled[; {none}"
        f"|; no PersistentVolume there is {_FITS}]",
        WAITING,
        explains=("WaitForFirstConsumer", "WaitForPodScheduled"),
        page=f"{_CLASSES}#volume-binding-mode",
        grace=0.0,
    ),
    Code("ClaimProgress", "{message}", WAITING, grace=0.0),
    Code("ClaimUnseen", "unknown why: {why}", UNKNOWN),
    Code(
        "ClaimAwaitsVolume",
        "waits for [volume {volume}|a volume][, which {reasons}"
        "|, which does not exist{gone!}]",
        WAITING,
        grace=0.0,
    ),
    Code(
        "VolumeUnbound",
        "PersistentVolume {volume} fits, and is not bound yet",
        WAITING,
        grace=0.0,
    ),
    Code(
        "NoVolumeFits",
        f"no PersistentVolume [of class {{name}}|without a class] {_FITS}",
        remedy="add one that fits, or change the claim: kubectl get pv",
        explains=_FAILED,
        page=_VOLUMES,
    ),
    Code(
        "StorageClassMissing",
        "StorageClass {name} does not exist"
        "[; whether a PersistentVolume fits is unknown: {why}]",
        explains=_FAILED,
        page=_CLASSES,
    ),
    Code(
        "StorageClassNotSet",
        "{message}",
        remedy="set storageClassName, make a StorageClass the default, or create a "
        "volume",
        explains=_FAILED,
        page=_CLASSES,
    ),
    Code("VolumeUnfit", "{volume} {reasons}", WAITING),
    Code("VolumeTooSmall", "has {has}, not {asked}", WAITING),
    Code("VolumeModesLacking", "does not allow {modes}", WAITING),
    Code("VolumeModeDiffers", "has volumeMode {mode}", WAITING),
    Code(
        "VolumeAttributesDiffer", "has volumeAttributesClassName [{name}|none]", WAITING
    ),
    Code("VolumeDeleting", "is being deleted", WAITING),
    Code("VolumeReleased", "belonged to {claim}, which is gone", WAITING),
    Code("VolumeTaken", "belongs to {claim}", WAITING),
    Code("VolumeNotAvailable", "is [{phase}|not Available yet]", WAITING),
    Code("VolumeUnselected", "does not match the claim's selector", WAITING),
    Code("VolumeResizing", "its volume is being made larger", WAITING),
    Code(
        "FileSystemResizePending",
        "its volume is larger, the file system follows when a node mounts it",
        WAITING,
    ),
    Code("VolumeResizeFailed", "its volume cannot be made larger[: {message}]"),
    Code(
        "FileSystemResizeFailed", "its file system cannot be made larger[: {message}]"
    ),
    Code("VolumeModifying", "its volume is being modified", WAITING),
    Code("VolumeModifyFailed", "its volume cannot be modified[: {message}]"),
    Code(
        "VolumeResizeInfeasible",
        "its volume cannot be made as large as the claim asks",
        remedy="ask for less storage, or see what the storage class allows",
        final=True,
    ),
    Code(
        "ClaimDeleting",
        "being deleted[, still in use by {users Pod~3}|, still in use by a Pod{used!}"
        "|, held by {finalizers finalizer}]",
        WAITING,
        page=f"{_VOLUMES}#storage-object-in-use-protection",
    ),
)
