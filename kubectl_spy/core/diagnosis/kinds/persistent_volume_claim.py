"""PersistentVolumeClaim: whether it has its volume, and why not.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/
"""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.static_volumes import (
    Volumes,
    misfit,
    none_made,
    storage_class,
    to_create,
    volumes_of,
)
from kubectl_spy.core.diagnosis.wording import brief, listed, one_line, tidy
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
_BINDING = (
    "ProvisioningFailed",
    "FailedBinding",
    "VolumeMismatch",
    "ExternalProvisioning",
    "Provisioning",
    "WaitForFirstConsumer",
    "WaitForPodScheduled",
    "ProvisioningSucceeded",
)
_MISSING_CLASS = "storageclass.storage.k8s.io"


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return whether the claim is bound, and what it waits for."""
    claim = entry.document
    deleting = bool(text(claim, "metadata", "deletionTimestamp"))
    phase = one_line(text(claim, "status", "phase"), 80) or "Pending"
    found = []
    verdict = Verdict.WAITING
    if phase == "Bound":
        found = _resizing(entry, seen)
        failing = any(each.verdict is Verdict.FAILING for each in found)
        verdict = Verdict.FAILING if failing else Verdict.OK
    else:
        why = binding(entry, seen)
        verdict = why.verdict
        found.append(why)
    if deleting:
        verdict = Verdict.WAITING
        found = [_deleted(entry, seen)]
    return Diagnosis(
        phase="Terminating" if deleting else phase,
        verdict=verdict,
        summary=_summary(entry),
        findings=tidy(found),
        children=(),
        since=moment(claim, "metadata", "creationTimestamp")
        if phase == "Pending"
        else None,
        final=phase == "Lost" and not deleting,
    )


def binding(entry: Entry, seen: Inventory) -> Finding:
    """Return what keeps the claim from being bound."""
    claim = entry.document
    volume = text(claim, "spec", "volumeName")
    if text(claim, "status", "phase") == "Lost":
        told = f"its volume {volume} is gone, and what was on it"
        remedy = advice(
            "restore the PersistentVolume, or delete the claim and make it anew"
        )
        return Finding("binding", Verdict.FAILING, told, remedy, final=True)
    reports = [each for each in seen.events(entry.uid) if each.reason in _BINDING]
    failures = [each for each in reports if each.reason in _BINDING[:3]]
    describe = kubectl("describe pvc {}", entry.name, namespace=entry.namespace)
    latest = reports[-1].reason if reports else ""
    static = volumes_of(entry, seen)
    if failures and not _contradicts(latest, failures[-1].said):
        message = brief(failures[-1].said)
        return _failed(entry, message, static, seen) or Finding(
            "binding", Verdict.FAILING, one_line(message), describe
        )
    if latest in ("WaitForFirstConsumer", "WaitForPodScheduled"):
        told = "it gets a volume when a Pod that uses it is scheduled"
        if none := none_made(entry, static, "", seen):
            told = one_line(f"{told}; {none}", 400)
            return Finding("binding", Verdict.WAITING, told, to_create(entry))
        if static.free and not static.fitting:
            told += f"; no PersistentVolume there is fits: {static}"
        return Finding("binding", Verdict.WAITING, told)
    if reports:
        told = one_line(reports[-1].said)
        return Finding("binding", Verdict.WAITING, told, describe)
    unseen = seen.unseen("", "Event", entry.namespace)
    if unseen:
        told = f"unknown why: {one_line(unseen)}"
        return Finding("binding", Verdict.UNKNOWN, told, describe)
    told = f"waits for volume {volume}" if volume else "waits for a volume"
    if volume and not seen.unseen("", "PersistentVolume"):
        its = seen.named("", "PersistentVolume", None, volume)
        why = misfit(claim, its.document) if its else "does not exist"
        told += f", which {why}" if why else ""
    return Finding("binding", Verdict.WAITING, told, describe)


def _contradicts(latest: str, failure: str) -> bool:
    """Tell whether the *latest* report means that an earlier *failure* is over.

    A provisioner reports every new try before its failure: that undoes no failure. But
    without its StorageClass nothing is tried.
    """
    if latest in ("WaitForFirstConsumer", "ProvisioningSucceeded"):
        return True
    return _MISSING_CLASS in failure and latest not in _BINDING[:3]


def _failed(
    entry: Entry, message: str, static: Volumes, seen: Inventory
) -> Finding | None:
    """Say why no volume was found or made, where there is more to say than that."""
    if none := none_made(entry, static, message, seen):
        told = one_line(none, 400)
        return Finding("binding", Verdict.FAILING, told, to_create(entry))
    absent = _MISSING_CLASS in message and "not found" in message
    if not absent and "no storage class is set" not in message:
        return None
    name = storage_class(entry.document)
    if static.fitting:
        told = f"PersistentVolume {static.fitting} fits, and is not bound yet"
        return Finding("binding", Verdict.WAITING, told)
    if static.misfits:
        of = f"of class {name}" if name else "without a class"
        told = f"no PersistentVolume {of} fits: {static}"
        remedy = advice("add one that fits, or change the claim: kubectl get pv")
    elif absent and (unseen := seen.unseen("", "PersistentVolume")):
        told = f"StorageClass {name} does not exist; whether a PersistentVolume fits"
        told += f" is unknown: {unseen}"
        remedy = advice("look for a volume of that class: kubectl get storageclass,pv")
    elif absent:
        told = f"StorageClass {name} does not exist"
        remedy = advice(
            "use one that exists, or add a volume: kubectl get storageclass,pv"
        )
    else:
        told = message
        remedy = advice(
            "set storageClassName, make a StorageClass the default, or create a volume"
        )
    return Finding("binding", Verdict.FAILING, one_line(told, 400), remedy)


def _summary(entry: Entry) -> str:
    claim = entry.document
    size = text(claim, "status", "capacity", "storage")
    wanted = text(claim, "spec", "resources", "requests", "storage")
    parts = [size or wanted]
    if size and wanted and size != wanted:
        parts = [f"{size}, wants {wanted}"]
    name = storage_class(claim)
    parts.append(f"class {name}" if name else "no storage class")
    volume = text(claim, "spec", "volumeName")
    parts.append(f"volume {volume}" if volume else "")
    return one_line(", ".join(part for part in parts if part))


def _resizing(entry: Entry, seen: Inventory) -> list[Finding]:
    found = []
    for kind, (verdict, told) in _RESIZING.items():
        each = condition(entry.document, kind)
        if each.get("status") != "True":
            continue
        message = one_line(text(each, "message"))
        if message and verdict is Verdict.FAILING:
            told += f": {message}"
        since = moment(each, "lastTransitionTime")
        found.append(Finding(f"condition/{kind}", verdict, told, since=since))
    resizes = mapping(entry.document, "status", "allocatedResourceStatuses")
    if str(resizes.get("storage")).endswith("Infeasible"):
        told = "its volume cannot be made as large as the claim asks"
        remedy = advice("ask for less storage, or see what the storage class allows")
        found.append(Finding("resize", Verdict.FAILING, told, remedy, final=True))
    return found


def _deleted(entry: Entry, seen: Inventory) -> Finding:
    """Say who holds the claim back.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
    """
    since = moment(entry.document, "metadata", "deletionTimestamp")
    finalizers = mapping(entry.document, "metadata").get("finalizers")
    names = finalizers if isinstance(finalizers, list) else []
    holders = [one_line(each) for each in names if isinstance(each, str)]
    if "kubernetes.io/pvc-protection" in holders:
        users = [
            pod.name
            for pod in seen.every("", "Pod", entry.namespace)
            if any(
                text(volume, "persistentVolumeClaim", "claimName") == entry.name
                for volume in mappings(pod.document, "spec", "volumes")
            )
        ]
        used = f"Pod {listed(users)}" if users else "a Pod"
        told = f"being deleted, still in use by {one_line(used)}"
        return Finding("deletion", Verdict.WAITING, told, since=since)
    told = "being deleted"
    if holders:
        told += f", held by finalizer {listed(holders)}"
    return Finding("deletion", Verdict.WAITING, told, since=since)
