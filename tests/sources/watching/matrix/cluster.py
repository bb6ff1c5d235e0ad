"""The truth: ConfigMaps in one namespace, and every version that they ever had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kubectl_spy.extras.serve.api_server.cluster import Change
from kubectl_spy.extras.serve.api_server.objects import Collection
from tests.builders import obj
from tests.extras.serve.api_server import cluster

NAMESPACE = "shop"
MAPS = Collection("v1", "configmaps")


@dataclass(frozen=True)
class Version:
    """One write. A number is a resourceVersion: the model knows their order."""

    number: int
    type: str
    document: dict[str, Any]

    @property
    def uid(self) -> str:
        uid: str = self.document["metadata"]["uid"]
        return uid


class Cluster(cluster.Cluster):
    """The embedded API server's cluster, with its versions by number."""

    def __init__(self) -> None:
        super().__init__()
        self._created = 0

    @property
    def number(self) -> int:
        """The current resourceVersion."""
        return self.revision

    @property
    def versions(self) -> list[Version]:
        """All there ever were, but for those that a restore undid."""
        with self.changed:
            return [_version(change) for change in self.history]

    @property
    def present(self) -> dict[str, dict[str, Any]]:
        """The objects there are, by uid."""
        items = self.select(MAPS, NAMESPACE, lambda item: True)
        return {item["metadata"]["uid"]: item for item in items}

    def put(self, name: str, **values: str) -> Version:
        """Create or replace an object."""
        with self.changed:
            old = self.get(MAPS, (NAMESPACE, name))
            if old is None:
                self._created += 1
                uid = f"uid-{name}-{self._created}"
            else:
                uid = old["metadata"]["uid"]
            self.store(MAPS, obj("ConfigMap", name, NAMESPACE, uid=uid, data=values))
            return _version(self.history[-1])

    def delete(self, name: str) -> Version:
        """Delete an object; as in Kubernetes that takes a version of its own."""
        with self.changed:
            found = self.get(MAPS, (NAMESPACE, name))
            assert found is not None
            self.store(MAPS, found, deleted=True)
            return _version(self.history[-1])


def _version(change: Change) -> Version:
    event = change.seen_through(lambda item: True)
    assert event is not None
    return Version(change.revision, *event)
