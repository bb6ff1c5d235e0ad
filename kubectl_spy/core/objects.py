"""The names of things: types, served resources, objects and watch events.

Terms are those of the Kubernetes API conventions:
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

JSON = Any
"""A parsed JSON document: dict, list, str, int, float, bool or None."""


class GroupVersionKind(NamedTuple):
    """A type. *group* is "" for the core group.

    >>> GroupVersionKind("apps", "v1", "Deployment").api_version
    'apps/v1'
    """

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """`apiVersion` as objects carry it: "v1", "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def printed(self) -> str:
        """The type as kubectl prints it before a name: `pod`, `deployment.apps`."""
        kind = self.kind.lower()
        return f"{kind}.{self.group}" if self.group else kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """The endpoint that serves a type, as API discovery describes it."""

    gvk: GroupVersionKind
    plural: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...] = ("list", "watch")
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_status: bool = True
    """Whether discovery lists a `status` subresource."""

    @property
    def group_resource(self) -> str:
        """`deployments.apps`, or `pods` for the core group, as kubectl prints it."""
        return f"{self.plural}.{self.gvk.group}" if self.gvk.group else self.plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What one stream lists and watches: a resource, narrowed on the server's side."""

    resource: Resource
    namespace: str | None = None
    """None for cluster-wide resources and for all namespaces."""
    name: str | None = None
    label_selector: str | None = None
    field_selector: str | None = None
    asked: bool = True
    """False for what is followed along with what was asked for, where that can be."""

    @property
    def narrowed(self) -> bool:
        """Whether DELETED may mean "stopped matching": any selector but the name."""
        return bool(self.label_selector or self.field_selector)


class EventType(Enum):
    """What a stream reports. The first three are the API server's own."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    LISTING = "LISTING"
    """A list begins."""
    LISTED = "LISTED"
    """One item of that list."""
    SYNCED = "SYNCED"
    """The list is complete: what it did not hold is gone."""
    UNREADABLE = "UNREADABLE"
    """A version arrived that could not be parsed; whose, cannot be known."""
    REFUSED = "REFUSED"
    """What was not asked for itself may not be listed; it is done without."""


class WatchEvent(NamedTuple):
    """One item of a stream, in the order the API server reported it."""

    type: EventType
    selection: Selection
    time: float
    """When it was received: seconds since the epoch."""
    object: dict[str, JSON] | None = None
    """The object, masked, with apiVersion and kind (items of a list come without)."""
    since: float | None = None
    """LISTING again, UNREADABLE: until when all that happened is known."""
    lost: bool = False
    """LISTING: history since then is known to be gone (410), not only suspected."""
    reason: str = ""
    """REFUSED: what may not be listed, or what the server says."""
