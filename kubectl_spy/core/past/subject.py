"""An object whose writes the server no longer remembers all, and who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import CONTROLLERS, owners_of
from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.fields import generation, mapping, mappings, moment, text
from kubectl_spy.core.objects import JSON, Resource, Selection
from kubectl_spy.core.past.times import SECOND
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation

Mask = Callable[[dict[str, JSON], Resource], dict[str, JSON]]
"""Masks what is secret in an object."""


class Subject(NamedTuple):
    """An object, as it was when the server's memory of its type begins."""

    selection: Selection
    document: JSON  # masked, with its managedFields
    horizon: float  # from when on all writes of its type are known
    settled: bool  # whether it was so at that time, and not some write later

    @property
    def name(self) -> str:
        """The name of the object."""
        return text(self.document, "metadata", "name")

    @property
    def namespace(self) -> str | None:
        """The namespace of the object."""
        return text(self.document, "metadata", "namespace") or None

    @property
    def uid(self) -> str:
        """The uid of the object."""
        return text(self.document, "metadata", "uid")

    @property
    def kind(self) -> tuple[str, str]:
        """The group and the kind of the object."""
        gvk = self.selection.resource.gvk
        return gvk.group, gvk.kind

    @property
    def created(self) -> float:
        """When it was created, or 0."""
        return moment(self.document, "metadata", "creationTimestamp") or 0.0

    @property
    def observed(self) -> float:
        """The latest time at which its spec may have changed.

        If its controller has seen this spec, that is when it last wrote the status.

        https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
        """
        made = generation(self.document, "metadata", "generation")
        seen = generation(self.document, "status", "observedGeneration")
        if not made or made != seen:
            return self.horizon
        wrote = (
            each.time
            for each in owners_of(self.document)
            if each.subresource == "status" and each.time is not None
        )
        return min(max(wrote, default=self.horizon), self.horizon)

    def with_replicas(self, count: int) -> dict[str, JSON]:
        """Return the object with nothing but a number of replicas."""
        about = {name: self.document.get(name) for name in ("apiVersion", "kind")}
        metadata = {"name": self.name, "namespace": self.namespace}
        return {**about, "metadata": metadata, "spec": {"replicas": count}}

    def scaled(self, before: int | None, after: int, mask: Mask) -> PatchOperation:
        """Return the step from one number of replicas to another. Both are masked."""
        resource = self.selection.resource
        now, old = (
            mapping(mask(self.with_replicas(count or 0), resource), "spec")
            for count in (after, before)
        )
        known = old.get("replicas") if before is not None else None
        return PatchOperation("replace", "/spec/replicas", now.get("replicas"), known)

    def write(
        self,
        time: float,
        until: float,
        origin: str,
        source: str,
        *,
        managers: tuple[str, ...] = (),
        patch: Iterable[PatchOperation] = (),
        fields: tuple[str, ...] = (),
        approximate: bool = False,
    ) -> EarlierWrite:
        """Return a write of the object, made between *time* and *until*."""
        return EarlierWrite(
            *(self.selection, self.namespace, self.name, self.uid),
            *(time, max(time, until), origin, source),
            *(managers, tuple(patch), fields, approximate),
        )

    def made(self, document: JSON) -> bool:
        """Return whether *document* was made for the object.

        One that it owns and that is older was adopted: a predecessor left it. That
        tells nothing of this object.
        """
        owners = mappings(document, "metadata", "ownerReferences")
        born = moment(document, "metadata", "creationTimestamp") or self.created
        owned = bool(self.uid) and self.uid in (text(each, "uid") for each in owners)
        return owned and born >= self.created - SECOND

    def writers(self, paths: Iterable[pointer.Tokens]) -> Iterator[tuple[str, float]]:
        """Yield the managers that own one of *paths*, and when each wrote last.

        Controllers and writes of the status are left out.
        """
        wanted = list(paths)
        for written in owners_of(self.document):
            of_status = written.subresource == "status"
            if of_status or written.manager in CONTROLLERS or written.time is None:
                continue
            if any(written.owns(self.document, path) for path in wanted):
                yield written.manager, written.time

    def writer_at(
        self, paths: Iterable[pointer.Tokens], time: float
    ) -> tuple[str, ...]:
        """Return who owns one of *paths* and wrote last at *time*, to the second."""
        found = self.writers(paths)
        return tuple(name for name, when in found if abs(when - time) <= SECOND)


def between(
    before: JSON, after: JSON, resource: Resource, mask: Mask
) -> list[PatchOperation]:
    """Return the patch between two objects of a type. Both are masked before."""
    one, other = (without_noise(mask(each, resource)) for each in (before, after))
    return operations_between(one, other)
