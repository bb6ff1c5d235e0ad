"""PersistentVolumes that somebody made by hand, and why none fits a claim.

The rules are those of the volume binder:
https://github.com/kubernetes/component-helpers/blob/v0.36.2/storage/volume/pv_helpers.go
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.label_selectors import matches
from kubectl_spy.core.diagnosis.quantity import quantity
from kubectl_spy.core.diagnosis.services.seen_service import strings
from kubectl_spy.core.diagnosis.wording import listed, one_line
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice

_NO_PROVISIONER = "kubernetes.io/no-provisioner"
"""https://kubernetes.io/docs/concepts/storage/storage-classes/#local"""
_SHOWN = 4
"""Volumes of which it is said why they do not fit."""
_OLD = "volume.beta.kubernetes.io/storage-class"


class Volumes(NamedTuple):
    """The PersistentVolumes of the class that a claim names."""

    fitting: str
    """The name of one that fits, or ""."""
    misfits: tuple[str, ...]
    """What keeps each of the others."""
    free: bool
    """Whether one of those that do not fit belongs to no other claim."""

    def __str__(self) -> str:
        more = len(self.misfits) - _SHOWN
        shown = [*self.misfits[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return one_line("; ".join(shown), 400)


class _Asked(NamedTuple):
    """What claims of one template ask for alike."""

    storage_class: str
    storage: str
    modes: tuple[str, ...]
    mode: str
    attributes: str


def volumes_of(claim: Entry, seen: Inventory) -> Volumes:
    """Return which PersistentVolumes of its class a claim could be bound to."""
    key, spec = (claim.namespace or "", claim.name), mapping(claim.document, "spec")
    name = storage_class(claim.document)
    if key in seen.shared(_claimed, None) or spec.get("selector") is not None:
        return _compared(_of_class(seen, name), claim.document)
    asked = _Asked(
        name,
        text(spec, "resources", "requests", "storage"),
        strings(spec, "accessModes"),
        *(text(spec, each) for each in ("volumeMode", "volumeAttributesClassName")),
    )
    return seen.shared(_volumes, asked)


def _volumes(seen: Inventory, asked: _Asked) -> Volumes:
    """Return what there is for any claim that asks for so much."""
    spec: JSON = {
        "resources": {"requests": {"storage": asked.storage}},
        "accessModes": list(asked.modes),
        "volumeMode": asked.mode,
        "volumeAttributesClassName": asked.attributes,
    }
    return _compared(_of_class(seen, asked.storage_class), {"spec": spec})


def _compared(volumes: list[Entry], claim: JSON) -> Volumes:
    fitting, misfits, free = "", [], False
    for volume in volumes:
        why = misfit(claim, volume.document)
        fitting = fitting or ("" if why else volume.name)
        if _is_taken(claim, volume.document):
            misfits.append(f"{volume.name} {why}")
        elif why:
            free = True
            misfits.insert(0, f"{volume.name} {why}")
    return Volumes(fitting, tuple(misfits), free)


def _of_class(seen: Inventory, name: str) -> list[Entry]:
    return [
        each
        for each in seen.every("", "PersistentVolume")
        if storage_class(each.document) == name
    ]


def _claimed(seen: Inventory, _: None) -> frozenset[tuple[str, str]]:
    """Return the namespaces and names of claims that volumes belong to."""
    owners = (
        mapping(each.document, "spec", "claimRef")
        for each in seen.every("", "PersistentVolume")
    )
    return frozenset(
        (text(each, "namespace"), text(each, "name")) for each in owners if each
    )


def none_made(claim: Entry, static: Volumes, reported: str, seen: Inventory) -> str:
    """Say that the class of a claim makes no volumes, and none that is there fits.

    "" if it is not so; *reported* is what the controller says.
    """
    name = storage_class(claim.document)
    its = seen.named("storage.k8s.io", "StorageClass", None, name)
    provisioner = text(its.document, "provisioner") if its else reported
    if static.fitting or not provisioner.endswith(_NO_PROVISIONER):
        return ""
    told = f"StorageClass {name} makes no volumes"
    if why := seen.unseen("", "PersistentVolume"):
        return f"{told}; whether a PersistentVolume fits is unknown: {why}"
    told += ", and no PersistentVolume of it "
    return told + (f"fits: {static}" if static.misfits else "is there")


def to_create(claim: Entry) -> Remedy:
    """Return what to create for a claim whose class makes no volumes."""
    asked = mapping(claim.document, "spec", "resources", "requests")
    modes = strings(claim.document, "spec", "accessModes")
    return advice(
        "create a PersistentVolume of class {} with {}{}",
        storage_class(claim.document),
        text(asked, "storage") or "the size that it asks for",
        advice(" and access mode {}", ",".join(modes)) if modes else NO_REMEDY,
    )


def storage_class(document: JSON) -> str:
    """Return the storage class of a claim or a volume, or ""; also the oldest way."""
    return text(document, "spec", "storageClassName") or text(
        document, "metadata", "annotations", _OLD
    )


def misfit(claim: JSON, volume: JSON) -> str:
    """Return why *volume* is not for *claim*, as in `has 1Gi, not 5Gi`; or ""."""
    if text(volume, "metadata", "deletionTimestamp"):
        return "is being deleted"
    if _is_taken(claim, volume):
        owner = mapping(volume, "spec", "claimRef")
        name = f"{text(owner, 'namespace')}/{text(owner, 'name')}"
        gone = text(volume, "status", "phase") == "Released"
        return f"belonged to {name}, which is gone" if gone else f"belongs to {name}"
    if unmet := list(_unmet(claim, volume)):
        return listed(unmet)
    if mapping(volume, "spec", "claimRef"):
        return ""  # somebody chose it for this claim: nothing else counts
    if (phase := text(volume, "status", "phase")) != "Available":
        return f"is {phase or 'not Available yet'}"
    selector = mapping(claim, "spec").get("selector")
    labels = mapping(volume, "metadata", "labels")
    if selector is not None and not matches(selector, labels):
        return "does not match the claim's selector"
    return ""


def _unmet(claim: JSON, volume: JSON) -> Iterator[str]:
    """Yield what the claim asks for and the volume is not."""
    size = text(volume, "spec", "capacity", "storage")
    asked = text(claim, "spec", "resources", "requests", "storage")
    has, wants = quantity(size), quantity(asked)
    if has is not None and wants is not None and has < wants:
        yield f"has {size}, not {asked}"
    allowed = strings(volume, "spec", "accessModes")
    modes = [
        each for each in strings(claim, "spec", "accessModes") if each not in allowed
    ]
    if modes:
        yield f"does not allow {listed(modes)}"
    kind = text(volume, "spec", "volumeMode") or "Filesystem"
    if kind != (text(claim, "spec", "volumeMode") or "Filesystem"):
        yield f"has volumeMode {kind}"
    attributes = text(volume, "spec", "volumeAttributesClassName")
    if attributes != text(claim, "spec", "volumeAttributesClassName"):
        yield f"has volumeAttributesClassName {attributes or 'none'}"


def _is_taken(claim: JSON, volume: JSON) -> bool:
    owner = mapping(volume, "spec", "claimRef")
    uid = text(owner, "uid")
    same = uid in ("", text(claim, "metadata", "uid")) and all(
        text(owner, part) == text(claim, "metadata", part)
        for part in ("namespace", "name")
    )
    return bool(owner) and not same
