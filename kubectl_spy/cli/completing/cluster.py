"""Completion from a cluster: types from the cache, names from one list request."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from kubectl_spy.core.objects import Resource
from kubectl_spy.errors import RequestRefused, SpyError
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.catalogue_cache import cached_catalogue
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.resolve import ListedNames

if TYPE_CHECKING:
    from kubectl_spy.sources.connection.connect import Connection


class InCluster:
    """The cluster that the command line selects."""

    def __init__(self, settings: ConnectionSettings, *, all_namespaces: bool) -> None:
        self._settings = settings
        self._all_namespaces = all_namespaces

    def catalogue(self) -> Catalogue:
        """Return the types that the server serves, from the cache if that is fresh."""
        known = cached_catalogue(self._settings, os.environ)
        return self._connection.catalogue() if known is None else known

    def names(self, resource: Resource, namespace: str | None) -> Sequence[str]:
        """Return the names of the first objects of a type, in the server's order."""
        if self._all_namespaces:
            return ()  # kubectl takes no names with -A, and neither do we
        return self._listed.names(resource, namespace or self._connection.namespace)

    def namespaces(self) -> Sequence[str]:
        """Return the namespaces, or those of the contexts if listing is forbidden."""
        with suppress(RequestRefused):
            return self._listed.namespaces()
        config = load_kubeconfig(self._settings.kubeconfig, os.environ)
        named = (context.get("namespace") for context in config.contexts.values())
        return sorted({str(name) for name in named if name})

    @cached_property
    def _listed(self) -> ListedNames:
        return ListedNames(self._connection.get_path)

    @cached_property
    def _connection(self) -> Connection:
        # Types are read from a file, and need no credentials.
        from kubectl_spy.sources.connection.connect import Connection

        return Connection(self._settings, environ=os.environ, say=lambda _: None)


def names_in_kubeconfig(file: str | None, section: str) -> Sequence[str]:
    """Return the sorted names in a *section* of the kubeconfig, such as contexts."""
    try:
        config = load_kubeconfig(file, os.environ)
    except SpyError:
        return ()
    return sorted(getattr(config, section))
