"""The recorded objects that words of the command line name, or may name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from time import process_time

from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import NotServed, SpyError
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import find, in_category, near_types
from kubectl_spy.sources.resolution.target import TargetSpec

_SECONDS = 0.5  # seconds for reading a recording; later names are not offered


class ObjectFilter:
    """Selects by *specs*. Without specs it selects everything of the *namespace*.

    A cluster-scoped object is in no namespace, so only a spec selects it then.

    Short names and categories are those of the recorded cluster. The recording holds
    them.
    """

    def __init__(self, specs: Sequence[TargetSpec], namespace: str | None) -> None:
        self._specs = specs
        self._namespace = namespace
        self._by_resource: dict[Resource, list[TargetSpec]] = {}
        named = [spec for spec in specs if spec.name]
        self.absent = named if len(specs) > 1 else []
        """Of several, those with a name that `find` was not called with."""

    def find(self, record: ChangeRecord) -> None:
        """Note that the object of *record* is there."""
        specs = self._specs_for(record.selection.resource)
        self.absent = [
            spec
            for spec in self.absent
            if spec.name != record.name
            or spec.namespace not in (record.namespace, None)
            or spec not in specs
        ]

    def __contains__(self, item: Item) -> bool:
        """Return whether *item* is selected."""
        selection = item.selection
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return self._covers(selection)
        return self.holds(selection.resource, item.namespace, item.name)

    def holds(self, resource: Resource, namespace: str | None, name: str) -> bool:
        """Return whether the object of that *name* is selected."""
        if self._namespace not in (None, namespace) and (namespace or not self._specs):
            return False
        return not self._specs or any(
            spec.name in (name, None) and spec.namespace in (namespace, None)
            for spec in self._specs_for(resource)
        )

    @cached_property
    def names(self) -> frozenset[bytes]:
        """The names that are selected, in UTF-8. Empty is any name."""
        names = {spec.name for spec in self._specs}
        return frozenset(name.encode() for name in names if name and None not in names)

    @property
    def narrows(self) -> bool:
        """Whether there are specs."""
        return bool(self._specs)

    @property
    def single(self) -> bool:
        """Whether one object is selected, by its name."""
        return len(self._specs) == 1 and self._specs[0].name is not None

    def among(self, declared: Sequence[Selection]) -> Iterator[Selection]:
        """Yield the part of *declared* that is selected, as if it had been watched."""
        for selection in filter(self._covers, declared):
            for each in self.targets(selection):
                if selection.name in (None, each.name):
                    namespace = each.namespace or selection.namespace
                    yield each._replace(namespace=namespace)

    def targets(self, selection: Selection) -> Iterator[Selection]:
        """Yield *selection* with each wanted name of its type, and its namespace.

        Without a wanted namespace it has none.
        """
        resource = selection.resource
        for spec in self._specs_for(resource) if self._specs else (None,):
            name = (spec and spec.name) or selection.name
            namespace = self._namespace or (spec and spec.namespace)
            if not resource.namespaced:
                namespace = None
            yield selection._replace(namespace=namespace, name=name)

    def asked(self, declared: Sequence[Selection]) -> Iterator[Selection]:
        """Yield the selected part of *declared*.

        Without specs this leaves out what was only recorded along with the targets.
        """
        return (each for each in self.among(declared) if self.narrows or each.asked)

    def streams(self, declared: Sequence[Selection]) -> list[Selection]:
        """Return the members of *declared* that `asked` selects from."""
        among = (each for each in declared if self.narrows or each.asked)
        return list(filter(self._covers, among))

    def asks_for(self, item: Item) -> bool:
        """Return whether *item* belongs to a selection that `asked` yields."""
        return (self.narrows or item.selection.asked) and item in self

    def check(self, held: Sequence[Selection]) -> None:
        """Raise NotServed if a spec names no type of the recorded selections *held*."""
        resources = list(dict.fromkeys(selection.resource for selection in held))
        for spec in self._specs:
            if not any(spec in self._specs_for(each) for each in resources):
                names = in_brief([each.group_resource for each in resources], 5)
                raise NotServed(
                    f'nothing of "{spec.type}" was recorded',
                    near_types(resources, spec) or f"there is {names or 'nothing'}",
                )

    def _covers(self, selection: Selection) -> bool:
        if self._namespace is not None:
            if selection.namespace not in (self._namespace, None):
                return False
            if not (selection.resource.namespaced or self._specs):
                return False
        return not self._specs or any(
            spec.name is None or selection.name in (spec.name, None)
            for spec in self._specs_for(selection.resource)
        )

    def _specs_for(self, resource: Resource) -> list[TargetSpec]:
        known = self._by_resource.get(resource)
        if known is None:
            known = [spec for spec in self._specs if _names(spec, resource)]
            self._by_resource[resource] = known
        return known


def _names(spec: TargetSpec, resource: Resource) -> bool:
    if spec.api_version is not None:
        gvk = resource.gvk
        same_kind = gvk.kind.lower() == spec.type.lower()
        return same_kind and gvk.api_version == spec.api_version
    catalogue = Catalogue((resource,))
    return bool(find(catalogue, spec.type) or in_category(catalogue, spec.type))


class RecordedNames:
    """The names at the beginning of a recording, to complete a word."""

    def __init__(self, file: str) -> None:
        self._file = file

    def catalogue(self) -> Catalogue:
        return Catalogue(tuple(dict.fromkeys(each for each, _, _ in self._objects)))

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        return [
            name
            for each, place, name in self._objects
            if each == resource and namespace in (place, None)
        ]

    def namespaces(self) -> Sequence[str]:
        return sorted({namespace for _, namespace, _ in self._objects if namespace})

    @cached_property
    def _objects(self) -> list[tuple[Resource, str | None, str]]:
        found = set(self._read())
        return sorted(found, key=lambda each: (each[0].plural, each[1] or "", each[2]))

    def _read(self) -> Iterator[tuple[Resource, str | None, str]]:
        end = process_time() + _SECONDS
        try:
            for item in Recording(self._file):
                if isinstance(item, ChangeRecord) and item.name:
                    yield item.selection.resource, item.namespace, item.name
                if process_time() > end:
                    return
        except SpyError:
            return
