"""Statically provisioned PersistentVolumes, and why none fits a claim.

The rules are those of the volume binder:
https://github.com/kubernetes/component-helpers/blob/v0.36.2/storage/volume/pv_helpers.go
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.selectors import matches
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.services.seen_service import strings
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.quantities import quantity
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice

_NO_PROVISIONER = "kubernetes.io/no-provisioner"
"""https://kubernetes.io/docs/concepts/storage/storage-classes/#local"""
_SHOWN = 4  # misfits that one line names
_OLD = "volume.beta.kubernetes.io/storage-class"


class Volumes(NamedTuple):
    """The PersistentVolumes of the class that a claim names."""

    fitting: str  # the name of one that fits, or ""
    misfits: tuple[Fact, ...]  # each other volume, and why it does not fit
    free: bool  # whether one of *misfits* belongs to no other claim

    @property
    def args(self) -> dict[str, int | tuple[Fact, ...]]:
        """The first misfits, and how many more there are, as arguments."""
        more = len(self.misfits) - _SHOWN
        first = {"misfits": self.misfits[:_SHOWN]}
        return {**first, "more": more} if more > 0 else {**first}


class _Request(NamedTuple):
    """The requests of a claim; claims of one template share them."""

    storage_class: str
    storage: str
    modes: tuple[str, ...]
    mode: str
    attributes: str


def volumes_of(claim: Entry, inventory: Inventory) -> Volumes:
    """Return the PersistentVolumes of a claim's class, and whether they fit it."""
    key, spec = (claim.namespace or "", claim.name), mapping(claim.document, "spec")
    name = storage_class(claim.document)
    if key in inventory.shared(_claimed, None) or spec.get("selector") is not None:
        return _compared(_of_class(inventory, name), claim.document)
    request = _Request(
        name,
        text(spec, "resources", "requests", "storage"),
        strings(spec, "accessModes"),
        *(text(spec, each) for each in ("volumeMode", "volumeAttributesClassName")),
    )
    return inventory.shared(_volumes, request)


def _volumes(inventory: Inventory, request: _Request) -> Volumes:
    spec: JSON = {
        "resources": {"requests": {"storage": request.storage}},
        "accessModes": list(request.modes),
        "volumeMode": request.mode,
        "volumeAttributesClassName": request.attributes,
    }
    return _compared(_of_class(inventory, request.storage_class), {"spec": spec})


def _compared(volumes: list[Entry], claim: JSON) -> Volumes:
    fitting, misfits, free = "", list[Fact](), False
    for volume in volumes:
        why = misfit(claim, volume.document)
        fitting = fitting or ("" if why else volume.name)
        unfit = fact("VolumeUnfit", volume=volume.name, reasons=why)
        if _is_taken(claim, volume.document):
            misfits.append(unfit)
        elif why:
            free = True
            misfits.insert(0, unfit)
    return Volumes(fitting, tuple(misfits), free)


def _of_class(inventory: Inventory, name: str) -> list[Entry]:
    return [
        each
        for each in inventory.every("", "PersistentVolume")
        if storage_class(each.document) == name
    ]


def _claimed(inventory: Inventory, _: None) -> frozenset[tuple[str, str]]:
    owners = (
        mapping(each.document, "spec", "claimRef")
        for each in inventory.every("", "PersistentVolume")
    )
    return frozenset(
        (text(each, "namespace"), text(each, "name")) for each in owners if each
    )


def none_made(
    claim: Entry, static: Volumes, reported: str, inventory: Inventory
) -> Fact | None:
    """Return that the class of a claim provisions nothing and no volume fits."""
    name = storage_class(claim.document)
    found = inventory.named("storage.k8s.io", "StorageClass", None, name)
    provisioner = text(found.document, "provisioner") if found else reported
    if static.fitting or not provisioner.endswith(_NO_PROVISIONER):
        return None
    if why := inventory.unseen("", "PersistentVolume"):
        return fact("ClassMakesNoVolumes", name=name, why=why)
    return fact("ClassMakesNoVolumes", name=name, **static.args)


def to_create(claim: Entry) -> Remedy:
    """Return which volume to create for a claim."""
    asked = mapping(claim.document, "spec", "resources", "requests")
    modes = strings(claim.document, "spec", "accessModes")
    return advice(
        "create a PersistentVolume of class {} with {}{}",
        storage_class(claim.document),
        text(asked, "storage") or "the size that it asks for",
        advice(" and access mode {}", ",".join(modes)) if modes else NO_REMEDY,
    )


def storage_class(document: JSON) -> str:
    """Return the storage class of a claim or volume, by spec or annotation; or ""."""
    return text(document, "spec", "storageClassName") or text(
        document, "metadata", "annotations", _OLD
    )


def misfit(claim: JSON, volume: JSON) -> tuple[Fact, ...]:
    """Return why *volume* is not for *claim*."""
    if text(volume, "metadata", "deletionTimestamp"):
        return (fact("VolumeDeleting"),)
    if _is_taken(claim, volume):
        owner = mapping(volume, "spec", "claimRef")
        name = f"{text(owner, 'namespace')}/{text(owner, 'name')}"
        gone = text(volume, "status", "phase") == "Released"
        return (fact("VolumeReleased" if gone else "VolumeTaken", claim=name),)
    if unmet := tuple(_unmet(claim, volume)):
        return unmet
    if mapping(volume, "spec", "claimRef"):
        return ()  # reserved for this claim: nothing else counts
    if (phase := text(volume, "status", "phase")) != "Available":
        return (fact("VolumeNotAvailable", phase=phase),)
    selector = mapping(claim, "spec").get("selector")
    labels = mapping(volume, "metadata", "labels")
    if selector is not None and not matches(selector, labels):
        return (fact("VolumeUnselected"),)
    return ()


def _unmet(claim: JSON, volume: JSON) -> Iterator[Fact]:
    size = text(volume, "spec", "capacity", "storage")
    asked = text(claim, "spec", "resources", "requests", "storage")
    has, wants = quantity(size), quantity(asked)
    if has is not None and wants is not None and has < wants:
        yield fact("VolumeTooSmall", has=size, asked=asked)
    allowed = strings(volume, "spec", "accessModes")
    modes = tuple(
        each for each in strings(claim, "spec", "accessModes") if each not in allowed
    )
    if modes:
        yield fact("VolumeModesLacking", modes=modes)
    kind = text(volume, "spec", "volumeMode") or "Filesystem"
    if kind != (text(claim, "spec", "volumeMode") or "Filesystem"):
        yield fact("VolumeModeDiffers", mode=kind)
    attributes = text(volume, "spec", "volumeAttributesClassName")
    if attributes != text(claim, "spec", "volumeAttributesClassName"):
        yield fact("VolumeAttributesDiffer", name=attributes)


def _is_taken(claim: JSON, volume: JSON) -> bool:
    owner = mapping(volume, "spec", "claimRef")
    uid = text(owner, "uid")
    same = uid in ("", text(claim, "metadata", "uid")) and all(
        text(owner, part) == text(claim, "metadata", part)
        for part in ("namespace", "name")
    )
    return bool(owner) and not same
