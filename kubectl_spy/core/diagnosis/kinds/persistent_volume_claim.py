"""PersistentVolumeClaims: whether one has its volume, and why not.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds.generic import names_in
from kubectl_spy.core.diagnosis.kinds.static_volumes import (
    Volumes,
    misfit,
    none_made,
    storage_class,
    to_create,
    volumes_of,
)
from kubectl_spy.core.diagnosis.wording import brief, listed, message_line, tidy
from kubectl_spy.core.fields import condition, mapping, mappings, moment, text
from kubectl_spy.core.remedy import advice, kubectl

_RESIZING = {
    "Resizing": (Verdict.WAITING, "its volume is being made larger"),
    "FileSystemResizePending": (
        Verdict.WAITING,
        "its volume is larger, the file system follows when a node mounts it",
    ),
    "ControllerResizeError": (Verdict.FAILING, "its volume cannot be made larger"),
    "NodeResizeError": (Verdict.FAILING, "its file system cannot be made larger"),
    "ModifyingVolume": (Verdict.WAITING, "its volume is being modified"),
    "ModifyVolumeError": (Verdict.FAILING, "its volume cannot be modified"),
}
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
        what = f"its volume {volume} is gone, and what was on it"
        remedy = advice(
            "restore the PersistentVolume, or delete the claim and make it anew"
        )
        return said("binding", Verdict.FAILING, what, remedy, final=True)
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
        return _failed(entry, message, static, inventory) or said(
            "binding", Verdict.FAILING, message_line(message), describe
        )
    if latest in ("WaitForFirstConsumer", "WaitForPodScheduled"):
        what = "it gets a volume when a Pod that uses it is scheduled"
        if none := none_made(entry, static, "", inventory):
            what = message_line(f"{what}; {none}", 400)
            return said("binding", Verdict.WAITING, what, to_create(entry))
        if static.free and not static.fitting:
            what += f"; no PersistentVolume there is fits: {static}"
        return said("binding", Verdict.WAITING, what)
    if reports:
        what = message_line(reports[-1].said)
        return said("binding", Verdict.WAITING, what, describe)
    unseen = inventory.unseen("", "Event", entry.namespace)
    if unseen:
        what = f"unknown why: {message_line(unseen)}"
        return said("binding", Verdict.UNKNOWN, what, describe)
    what = f"waits for volume {volume}" if volume else "waits for a volume"
    if volume and not inventory.unseen("", "PersistentVolume"):
        found = inventory.named("", "PersistentVolume", None, volume)
        why = misfit(claim, found.document) if found else "does not exist"
        what += f", which {why}" if why else ""
    return said("binding", Verdict.WAITING, what, describe)


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
        what = message_line(none, 400)
        return said("binding", Verdict.FAILING, what, to_create(entry))
    absent = _MISSING_CLASS in message and "not found" in message
    if not absent and "no storage class is set" not in message:
        return None
    name = storage_class(entry.document)
    if static.fitting:
        what = f"PersistentVolume {static.fitting} fits, and is not bound yet"
        return said("binding", Verdict.WAITING, what)
    if static.misfits:
        of = f"of class {name}" if name else "without a class"
        what = f"no PersistentVolume {of} fits: {static}"
        remedy = advice("add one that fits, or change the claim: kubectl get pv")
    elif absent and (unseen := inventory.unseen("", "PersistentVolume")):
        what = f"StorageClass {name} does not exist; whether a PersistentVolume fits"
        what += f" is unknown: {unseen}"
        remedy = advice("look for a volume of that class: kubectl get storageclass,pv")
    elif absent:
        what = f"StorageClass {name} does not exist"
        remedy = advice(
            "use one that exists, or add a volume: kubectl get storageclass,pv"
        )
    else:
        what = message
        remedy = advice(
            "set storageClassName, make a StorageClass the default, or create a volume"
        )
    return said("binding", Verdict.FAILING, message_line(what, 400), remedy)


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
    for kind, (verdict, what) in _RESIZING.items():
        each = condition(entry.document, kind)
        if each.get("status") != "True":
            continue
        message = message_line(text(each, "message"))
        if message and verdict is Verdict.FAILING:
            what += f": {message}"
        since = moment(each, "lastTransitionTime")
        found.append(said(f"condition/{kind}", verdict, what, since=since))
    resizes = mapping(entry.document, "status", "allocatedResourceStatuses")
    if str(resizes.get("storage")).endswith("Infeasible"):
        what = "its volume cannot be made as large as the claim asks"
        remedy = advice("ask for less storage, or see what the storage class allows")
        found.append(said("resize", Verdict.FAILING, what, remedy, final=True))
    return found


def _deleted(entry: Entry, inventory: Inventory) -> Finding:
    """Return what holds back the deletion of the claim.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
    """
    since = moment(entry.document, "metadata", "deletionTimestamp")
    finalizers = mapping(entry.document, "metadata").get("finalizers")
    holders = list(map(message_line, names_in(finalizers)))
    what = "being deleted"
    if "kubernetes.io/pvc-protection" in holders:
        users = [
            pod.name
            for pod in inventory.every("", "Pod", entry.namespace)
            if any(
                text(volume, "persistentVolumeClaim", "claimName") == entry.name
                for volume in mappings(pod.document, "spec", "volumes")
            )
        ]
        used = f"Pod {listed(users)}" if users else "a Pod"
        what += f", still in use by {message_line(used)}"
    elif holders:
        what += f", held by finalizer {listed(holders)}"
    return said("deletion", Verdict.WAITING, what, since=since)
