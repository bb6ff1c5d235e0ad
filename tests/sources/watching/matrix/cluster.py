"""The truth: what a cluster's store holds, and every version it ever held."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any

NAMESPACE = "shop"


@dataclass(frozen=True)
class Version:
    """One write. A number is a resourceVersion, of which this model knows the order."""

    number: int
    type: str
    document: dict[str, Any]

    @property
    def uid(self) -> str:
        uid: str = self.document["metadata"]["uid"]
        return uid


class Cluster:
    """ConfigMaps in one namespace. `changed` is notified after each write."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.versions: list[Version] = []
        """All there ever were; those of before a restore are kept apart."""
        self.number = 1
        self.compacted = 0
        """Versions up to this one can no longer be watched from."""
        self._present: dict[str, dict[str, Any]] = {}
        self._created = 0

    @property
    def present(self) -> dict[str, dict[str, Any]]:
        """What there is now, by uid."""
        with self.changed:
            return {
                each["metadata"]["uid"]: copy.deepcopy(each)
                for each in self._present.values()
            }

    def put(self, name: str, **values: str) -> Version:
        """Create or replace an object."""
        with self.changed:
            old = self._present.get(name)
            if old is None:
                self._created += 1
                uid = f"uid-{name}-{self._created}"
            else:
                uid = old["metadata"]["uid"]
            document = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid},
                "data": values,
            }
            self._present[name] = document
            return self._written("ADDED" if old is None else "MODIFIED", document)

    def delete(self, name: str) -> Version:
        """Delete an object; as in Kubernetes that takes a version of its own."""
        with self.changed:
            return self._written("DELETED", copy.deepcopy(self._present.pop(name)))

    def compact(self) -> None:
        """Forget how what is there came about."""
        with self.changed:
            self.compacted = self.number

    def restore(self, number: int) -> None:
        """Go back to an earlier version, as etcd does when a backup is restored."""
        with self.changed:
            self.versions = [each for each in self.versions if each.number <= number]
            self.number = number
            self._present = {}
            for each in self.versions:
                name = each.document["metadata"]["name"]
                self._present.pop(name, None)
                if each.type != "DELETED":
                    self._present[name] = copy.deepcopy(each.document)
            self.changed.notify_all()

    def _written(self, kind: str, document: dict[str, Any]) -> Version:
        self.number += 1
        document["metadata"]["resourceVersion"] = str(self.number)
        version = Version(self.number, kind, copy.deepcopy(document))
        self.versions.append(version)
        self.changed.notify_all()
        return version
