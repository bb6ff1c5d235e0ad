"""PersistentVolumeClaims: whether one has its volume, and why not.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.generic import names_in
from kubectl_spy.core.diagnosis.kinds.static_volumes import (
    Volumes,
    misfit,
    none_made,
    storage_class,
    to_create,
    volumes_of,
)
from kubectl_spy.core.diagnosis.wording import brief, message_line, tidy
from kubectl_spy.core.fields import condition, mapping, mappings, moment, text
from kubectl_spy.core.remedy import advice, kubectl

_RESIZES = (
    ("Resizing", "VolumeResizing", ""),
    ("FileSystemResizePending", "FileSystemResizePending", ""),
    ("ControllerResizeError", "", "VolumeResizeFailed"),
    ("NodeResizeError", "", "FileSystemResizeFailed"),
    ("ModifyingVolume", "VolumeModifying", ""),
    ("ModifyVolumeError", "", "VolumeModifyFailed"),
)
"""Conditions, and the code of each: it goes on, or it failed."""
_FAILURES = ("ProvisioningFailed", "FailedBinding", "VolumeMismatch")
_PROGRESS = (
    "ExternalProvisioning",
    "Provisioning",
    "WaitForFirstConsumer",
    "WaitForPodScheduled",
    "ProvisioningSucceeded",
)
_MISSING_CLASS = "storageclass.storage.k8s.io"


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return whether the claim is bound, and what it waits for."""
    claim = entry.document
    phase = message_line(text(claim, "status", "phase"), 80) or "Pending"
    since = None
    if phase == "Pending":
        since = moment(claim, "metadata", "creationTimestamp")
    deleting = bool(text(claim, "metadata", "deletionTimestamp"))
    if deleting:
        verdict, found = Verdict.WAITING, [_deleted(entry, inventory)]
    elif phase == "Bound":
        found = _resizing(entry)
        failing = any(each.verdict is Verdict.FAILING for each in found)
        verdict = Verdict.FAILING if failing else Verdict.OK
    else:
        found = [binding(entry, inventory)]
        verdict = found[0].verdict
    return Diagnosis(
        phase="Terminating" if deleting else phase,
        verdict=verdict,
        summary=_summary(entry),
        findings=tidy(found),
        children=(),
        since=since,
        final=phase == "Lost" and not deleting,
    )


def binding(entry: Entry, inventory: Inventory) -> Finding:
    """Return what keeps the claim from being bound."""
    claim = entry.document
    volume = text(claim, "spec", "volumeName")
    if text(claim, "status", "phase") == "Lost":
        return finding("VolumeLost", "binding", volume=volume)
    reports = [
        each
        for each in inventory.events(entry.uid)
        if each.reason in _FAILURES or each.reason in _PROGRESS
    ]
    failures = [each for each in reports if each.reason in _FAILURES]
    describe = kubectl("describe pvc {}", entry.name, namespace=entry.namespace)
    latest = reports[-1].reason if reports else ""
    static = volumes_of(entry, inventory)
    if failures and not _contradicts(latest, failures[-1].said):
        message = brief(failures[-1].said)
        return _failed(entry, message, static, inventory) or finding(
            "ProvisioningFailed",
            "binding",
            message=message_line(message),
            remedy=describe,
        )
    if latest in ("WaitForFirstConsumer", "WaitForPodScheduled"):
        none = none_made(entry, static, "", inventory)
        unfit = static.args if static.free and not static.fitting and not none else {}
        of = fact("ClaimAwaitsPod", none=none, **unfit)
        return stating(of, "binding", remedy=to_create(entry) if none else None)
    if reports:
        message = message_line(reports[-1].said)
        return finding("ClaimProgress", "binding", message=message, remedy=describe)
    if unseen := inventory.unseen("", "Event", entry.namespace, owned=True):
        return finding("ClaimUnseen", "binding", why=unseen, remedy=describe)
    reasons, gone = tuple[Fact, ...](), False
    if volume and not inventory.unseen("", "PersistentVolume"):
        found = inventory.named("", "PersistentVolume", None, volume)
        reasons, gone = misfit(claim, found.document) if found else (), not found
    return finding(
        "ClaimAwaitsVolume",
        "binding",
        volume=volume,
        reasons=reasons,
        gone=gone,
        remedy=describe,
    )


def _contradicts(latest: str, failure: str) -> bool:
    """Tell whether the *latest* Event means that an earlier *failure* is over.

    A new attempt of a provisioner does not, unless the StorageClass was missing.
    """
    if latest in ("WaitForFirstConsumer", "ProvisioningSucceeded"):
        return True
    return _MISSING_CLASS in failure and latest not in _FAILURES


def _failed(
    entry: Entry, message: str, static: Volumes, inventory: Inventory
) -> Finding | None:
    """Return why no volume was found or provisioned; None to quote *message*."""
    if none := none_made(entry, static, message, inventory):
        return stating(none, "binding", remedy=to_create(entry))
    absent = _MISSING_CLASS in message and "not found" in message
    if not absent and "no storage class is set" not in message:
        return None
    name = storage_class(entry.document)
    if static.fitting:
        return finding("VolumeUnbound", "binding", volume=static.fitting)
    if static.misfits:
        return stating(fact("NoVolumeFits", name=name, **static.args), "binding")
    if not absent:
        return finding("StorageClassNotSet", "binding", message=message_line(message))
    unseen = inventory.unseen("", "PersistentVolume")
    remedy = "use one that exists, or add a volume: kubectl get storageclass,pv"
    if unseen:
        remedy = "look for a volume of that class: kubectl get storageclass,pv"
    return finding(
        "StorageClassMissing",
        "binding",
        kind="StorageClass",
        name=name,
        why=unseen,
        remedy=advice(remedy),
    )


def _summary(entry: Entry) -> str:
    claim = entry.document
    size = text(claim, "status", "capacity", "storage")
    wanted = text(claim, "spec", "resources", "requests", "storage")
    parts = [size or wanted]
    if size and wanted and size != wanted:
        parts.append(f"wants {wanted}")
    name = storage_class(claim)
    parts.append(f"class {name}" if name else "no storage class")
    volume = text(claim, "spec", "volumeName")
    parts.append(f"volume {volume}" if volume else "")
    return message_line(", ".join(filter(None, parts)))


def _resizing(entry: Entry) -> list[Finding]:
    found = []
    for kind, going_on, failed in _RESIZES:
        each = condition(entry.document, kind)
        if each.get("status") != "True":
            continue
        since = moment(each, "lastTransitionTime")
        about = f"condition/{kind}"
        if failed:
            message = message_line(text(each, "message"))
            found.append(finding(failed, about, message=message, since=since))
        else:
            found.append(finding(going_on, about, since=since))
    resizes = mapping(entry.document, "status", "allocatedResourceStatuses")
    if str(resizes.get("storage")).endswith("Infeasible"):
        found.append(finding("VolumeResizeInfeasible", "resize"))
    return found


def _deleted(entry: Entry, inventory: Inventory) -> Finding:
    """Return what holds back the deletion of the claim.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
    """
    since = moment(entry.document, "metadata", "deletionTimestamp")
    finalizers = mapping(entry.document, "metadata").get("finalizers")
    holders = tuple(map(message_line, names_in(finalizers)))
    if "kubernetes.io/pvc-protection" not in holders:
        return finding("ClaimDeleting", "deletion", finalizers=holders, since=since)
    users = tuple(
        pod.name
        for pod in inventory.every("", "Pod", entry.namespace)
        if any(
            text(volume, "persistentVolumeClaim", "claimName") == entry.name
            for volume in mappings(pod.document, "spec", "volumes")
        )
    )
    return finding("ClaimDeleting", "deletion", users=users, used=True, since=since)
