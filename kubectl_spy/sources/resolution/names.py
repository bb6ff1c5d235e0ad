"""Lists names, and says which of them a mistyped name may mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.core.wording import did_you_mean
from kubectl_spy.errors import SpyError

_NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_MOST = 500
"""The most names to ask for. Nobody reads more, and one page is one request."""
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
    """The first names of each list of a cluster, in the server's order.

    *ask* returns the JSON document at a path, as `Connection.get_path` does.
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        """Return the names of a type's objects."""
        gvk = resource.gvk
        path = f"/apis/{gvk.api_version}" if gvk.group else f"/api/{gvk.version}"
        if resource.namespaced and namespace is not None:
            path += f"/namespaces/{namespace}"
        return self._list(f"{path}/{resource.plural}")

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces."""
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


def meant_instead(known: Names, selection: Selection) -> str:
    """Return what may be mistyped in *selection*, which selects nothing, or "".

    The namespace is in doubt only if it holds no object of the type. Raises SpyError if
    *known* cannot list names.
    """
    name, namespace = selection.name, selection.namespace
    if name is not None and (names := known.names(selection.resource, namespace)):
        kind = selection.resource.gvk.printed
        printed = {each: f"{kind}/{each}" for each in names}
        return "" if name in names else did_you_mean(name, printed)
    namespaces = () if namespace is None else known.namespaces()
    # A full page may not hold all of them.
    if namespace is None or not 0 < len(namespaces) < _MOST or namespace in namespaces:
        return ""
    near = did_you_mean(namespace, {each: each for each in namespaces})
    return "; ".join(filter(None, (f"there is no namespace {namespace}", near)))
