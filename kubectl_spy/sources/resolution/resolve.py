"""Turns the words of the command line into selections, as kubectl does.

The order is that of kubectl's RESTMapper: full names before short names before kinds,
the core group before the others, the preferred version of a group before its others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.core.wording import did_you_mean, in_brief
from kubectl_spy.errors import NotServed, SpyError
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.target import TargetSpec


class Server(Protocol):
    """The parts of a connection that this needs."""

    @property
    def namespace(self) -> str:
        """The default namespace."""

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Return the types that the server serves."""


Named = Callable[[Sequence[Resource], str, str], str]  # `object_named` of a cluster


class Resolution(NamedTuple):
    """The selections to watch, and *notes* about the choices made."""

    selections: tuple[Selection, ...]
    notes: tuple[str, ...] = ()


def resolve(
    server: Server,
    specs: Sequence[TargetSpec],
    *,
    namespace: str | None = None,
    all_namespaces: bool = False,
    label_selector: str | None = None,
    field_selector: str | None = None,
    named: Named = lambda *_: "",
) -> Resolution:
    """Return one selection for each type or object in *specs*, each once.

    *namespace* defaults to the connection's. It is dropped for cluster-wide types.
    *named* returns the question whether an object was meant by a word that is no type.
    Raises NotServed if the server has no such type, also after a new discovery;
    SpyError if the type cannot be watched.
    """
    notes: list[str] = []
    selections: dict[Selection, None] = {}
    for spec in specs:
        scope = spec.namespace or namespace or server.namespace
        for resource in _resources(server, spec, notes, named, scope):
            selection = Selection(
                resource=resource,
                namespace=scope if resource.namespaced and not all_namespaces else None,
                name=spec.name,
                label_selector=label_selector or None,
                field_selector=field_selector or None,
            )
            selections[selection] = None
    return Resolution(tuple(selections), tuple(dict.fromkeys(notes)))


def find(catalogue: Catalogue, word: str) -> list[Resource]:
    """Return the types that *word* may mean, one a group, in kubectl's order.

    TYPE.VERSION.GROUP is tried before TYPE.GROUP, and a whole group before a prefix.
    """
    word = word.lower()
    parts = word.split(".", 2)
    if len(parts) == 3:
        name, version, group = parts
        found = _match(
            name,
            (
                item
                for item in catalogue.resources
                if item.gvk.version == version and item.gvk.group == group
            ),
        )
        if found:
            return found
    name, dot, group = word.partition(".")
    if not dot:
        return _match(name, catalogue.resources)
    return _match(
        name, (item for item in catalogue.resources if item.gvk.group == group)
    ) or _match(
        name, (item for item in catalogue.resources if item.gvk.group.startswith(group))
    )


def in_category(catalogue: Catalogue, category: str) -> list[Resource]:
    """Return the types of *category* that can be watched, in the server's order."""
    return [
        item
        for item in one_version(catalogue.resources)
        if category in item.categories and is_watchable(item)
    ]


def is_watchable(resource: Resource) -> bool:
    """Return whether *resource* can be listed and watched."""
    return "watch" in resource.verbs and "list" in resource.verbs


def _resources(
    server: Server, spec: TargetSpec, notes: list[str], named: Named, namespace: str
) -> list[Resource]:
    catalogue = server.catalogue()
    found = _lookup(catalogue, spec)
    if not found and catalogue.cached:
        catalogue = server.catalogue(refresh=True)
        found = _lookup(catalogue, spec)
    if not found:
        near = near_types(catalogue.resources, spec)
        if not near and spec.name is None and spec.api_version is None:
            near = named(catalogue.resources, spec.type, namespace)
        raise _not_served(catalogue, spec, near)
    if _is_category(catalogue, spec):
        return found
    chosen = found[0]
    if not is_watchable(chosen):
        offers = ", ".join(chosen.verbs) or "nothing"
        raise SpyError(
            f"{chosen.group_resource} cannot be watched: the server offers {offers}",
            "choose a type that can be listed and watched",
        )
    others = [item for item in found[1:] if is_watchable(item)]
    if others and spec.api_version is None:
        names = " or ".join(_full_name(item) for item in others)
        notes.append(
            f'"{spec.type}" is served by several API groups: following '
            f"{_full_name(chosen)}; for another one say {names}"
        )
    return [chosen]


def _lookup(catalogue: Catalogue, spec: TargetSpec) -> list[Resource]:
    if spec.api_version is not None:
        kind = spec.type.lower()
        return [
            item
            for item in catalogue.resources
            if item.gvk.api_version == spec.api_version
            and item.gvk.kind.lower() == kind
        ]
    if _is_category(catalogue, spec):
        return in_category(catalogue, spec.type)
    return find(catalogue, spec.type)


def _is_category(catalogue: Catalogue, spec: TargetSpec) -> bool:
    """Return whether the type of *spec* is a category, which wins over a type."""
    return spec.api_version is None and any(
        spec.type in item.categories for item in catalogue.resources
    )


def _match(name: str, resources: Iterable[Resource]) -> list[Resource]:
    candidates = list(resources)
    rules: tuple[Callable[[Resource], bool], ...] = (
        lambda item: name in (item.plural, item.singular),
        lambda item: name in item.short_names,
        lambda item: name == item.gvk.kind.lower(),
    )
    for rule in rules:
        if found := [item for item in candidates if rule(item)]:
            return one_version(found)
    return []


def one_version(resources: Iterable[Resource]) -> list[Resource]:
    """Return *resources* with only the preferred version of each."""
    first: dict[tuple[str, str], Resource] = {}
    for item in resources:
        first.setdefault((item.gvk.group, item.plural), item)
    return list(first.values())


def _full_name(resource: Resource) -> str:
    """Return a name that only this type has, also in the core group."""
    if resource.gvk.group:
        return resource.group_resource
    return f"{resource.plural}.{resource.gvk.version}."


def near_types(resources: Sequence[Resource], spec: TargetSpec) -> str:
    """Return the question whether one of *resources* was meant by *spec*, or ""."""
    if spec.api_version is not None:
        names = {
            item.gvk.kind.lower(): f"{item.gvk.api_version} {item.gvk.kind}"
            for item in reversed(resources)
        }
    else:
        names = {
            alias.lower(): item.plural
            for item in reversed(resources)
            for alias in (item.gvk.kind, item.singular, *item.short_names, item.plural)
        }
    return did_you_mean(spec.type.lower().partition(".")[0], names)


def _not_served(catalogue: Catalogue, spec: TargetSpec, remedy: str) -> NotServed:
    what = f"{spec.api_version} {spec.type}" if spec.api_version else f'"{spec.type}"'
    if not remedy:
        form = "" if spec.name else "a target is TYPE or TYPE/NAME; "
        remedy = f"{form}see kubectl api-resources"
    if catalogue.failed:
        remedy += f" (discovery failed for {', '.join(catalogue.failed[:3])})"
    return NotServed(f"the server has no resource type {what}", remedy)


_NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_FEW = 5  # names that are printed
_MOST = 500  # names to ask for: one page, and nobody reads more
_COMMON = (
    *("deployments.apps", "statefulsets.apps", "daemonsets.apps", "cronjobs.batch"),
    *("jobs.batch", "services", "pods"),
)
"""The types to look for a name that was typed without one."""


class Names(Protocol):
    """The names in a cluster or in a recording."""

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        """Return the names of a type's objects."""

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces."""


class ListedNames:
    """The first names of each list of a cluster. *ask* is `Connection.get_path`."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        return self._list(resource.path(namespace))

    def namespaces(self) -> Sequence[str]:
        return self._list("/api/v1/namespaces")

    def _list(self, path: str) -> Sequence[str]:
        accept = f"{_NAMES_ONLY},application/json"
        found = self._ask(path, accept, query={"limit": str(_MOST)})
        items = found.get("items") if isinstance(found, dict) else None
        return [
            str(item.get("metadata", {}).get("name", ""))
            for item in items or ()
            if isinstance(item, dict)
        ]


def object_named(
    known: Names, resources: Sequence[Resource], name: str, namespace: str
) -> str:
    """Return the question whether an object of a common type was meant, or ""."""
    types = {each.group_resource: each for each in reversed(resources)}
    printed: dict[str, str] = {}
    for resource in filter(None, map(types.get, _COMMON)):
        with suppress(SpyError):  # one type may be forbidden
            for each in known.names(resource, namespace):
                printed.setdefault(each, f"{resource.gvk.printed}/{each}")
    return did_you_mean(name, printed)


def meant_instead(known: Names, selection: Selection, *, lists: bool = False) -> str:
    """Return what may be mistyped in *selection*, which selects nothing, or "".

    If it *lists*, it names some objects that are there, if no name is similar.

    The namespace is in doubt only if it holds no object of the type. Raises SpyError if
    *known* cannot list names.
    """
    name, namespace = selection.name, selection.namespace
    if name is not None and (names := known.names(selection.resource, namespace)):
        kind = selection.resource.gvk.printed
        printed = {each: f"{kind}/{each}" for each in names}
        if name in names:
            return ""
        near = did_you_mean(name, printed)
        return near or (f"there is {in_brief(sorted(names), _FEW)}" if lists else "")
    namespaces = () if namespace is None else known.namespaces()
    # A full page may not hold all of them.
    if namespace is None or not 0 < len(namespaces) < _MOST or namespace in namespaces:
        return ""
    near = did_you_mean(namespace, {each: each for each in namespaces})
    near = near or f"there is {in_brief(sorted(namespaces), _FEW)}"
    return "; ".join(filter(None, (f"there is no namespace {namespace}", near)))
