"""Objects as the API server stores them, and where they live."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.objects import JSON

Object = dict[str, JSON]


class Collection(NamedTuple):
    """Where the objects of one type live: "apps/v1" and "deployments"."""

    api_version: str
    plural: str

    @property
    def group(self) -> str:
        """ "" for the core group."""
        return self.api_version.rpartition("/")[0]


def is_custom(group: str) -> bool:
    """Return whether a group is not one of Kubernetes itself.

    Those have no dot, or end in `.k8s.io`.
    """
    return "." in group and not group.endswith(".k8s.io")


def revision_of(document: Object) -> int:
    """Return the resourceVersion as a number, which only a server may do."""
    return int(document["metadata"]["resourceVersion"])
