"""Says what may be mistyped in a target that is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.core.objects import Resource, Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.resolve import (
    ListedNames,
    meant_instead,
    object_named,
)

_PATIENCE = 1.0  # seconds to wait for names, because nothing is shown meanwhile


class Suggestions:
    """Asks a cluster for names, until it once refuses them or is too slow."""

    def __init__(self, connection: Connection) -> None:
        self._names = ListedNames(connection.get_path)
        self._asks = True

    def __call__(self, selection: Selection) -> str:
        """Return what may be mistyped in *selection*, which has no objects, or ""."""
        return self._asked(lambda: meant_instead(self._names, selection))

    def named(self, resources: Sequence[Resource], name: str, namespace: str) -> str:
        """Return the question whether an object *name* was meant, or ""."""
        return self._asked(
            lambda: object_named(self._names, resources, name, namespace)
        )

    def _asked(self, ask: Callable[[], str]) -> str:
        if not self._asks:
            return ""
        try:
            return run_with_timeout(ask, _PATIENCE)
        except SpyError:
            self._asks = False
            return ""
