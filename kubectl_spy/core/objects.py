"""Types, resources, selections and watch events.

Terms are those of the Kubernetes API conventions:
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

JSON = Any  # a parsed JSON document: dict, list, str, int, float, bool or None

MASKED = "*** "
"""The beginning of a masked value. A tag follows."""

_K8S_IO = (
    "admissionregistration apiextensions apiregistration authentication authorization "
    "certificates coordination discovery events flowcontrol.apiserver "
    "internal.apiserver metrics networking node rbac.authorization resource scheduling "
    "storage storagemigration"
)
BUILT_IN_GROUPS = frozenset(
    {"", "apps", "autoscaling", "batch", "extensions", "policy"}
) | {f"{group}.k8s.io" for group in _K8S_IO.split()}
"""The built-in API groups. Groups of custom resources may end in .k8s.io, too."""


class GroupVersionKind(NamedTuple):
    """A type. *group* is "" for the core group."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """The `apiVersion` of objects: "v1", "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def printed(self) -> str:
        """The type as kubectl prints it before a name: `pod`, `deployment.apps`."""
        kind = self.kind.lower()
        return f"{kind}.{self.group}" if self.group else kind


class Resource(NamedTuple):
    """A type that a server serves, as API discovery describes it."""

    gvk: GroupVersionKind
    plural: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...] = ("list", "watch")
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_status: bool = True  # whether discovery lists a `status` subresource

    @property
    def group_resource(self) -> str:
        """`deployments.apps`, or `pods` for the core group, as kubectl prints it."""
        return f"{self.plural}.{self.gvk.group}" if self.gvk.group else self.plural

    def path(self, namespace: str | None) -> str:
        """Return the URL path of its objects, in all namespaces if that is None.

        https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
        """
        root = "apis" if self.gvk.group else "api"
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"/{root}/{self.gvk.api_version}{within}/{self.plural}"


class Selection(NamedTuple):
    """What one stream lists and watches."""

    resource: Resource
    namespace: str | None = None  # None is all namespaces, or a cluster-scoped resource
    name: str | None = None
    label_selector: str | None = None
    field_selector: str | None = None
    asked: bool = True
    """Whether the user asked for it. Otherwise it is watched along with a target."""
    heads: bool = False  # whether only the metadata of its objects is read
    filtered: bool = False
    """Whether only those of its objects are passed on that belong to a target."""

    @property
    def narrowed(self) -> bool:
        """Whether a DELETED may mean that the object no longer matches a selector."""
        return bool(self.label_selector or self.field_selector)

    def holds_all(self, labels: str | None) -> bool:
        """Tell whether it holds all objects, or with *labels* all that have these."""
        narrowed = self.name or self.field_selector
        return not narrowed and self.label_selector in (None, labels)


class Position(NamedTuple):
    """Up to where a stream was recorded."""

    version: str  # the resourceVersion of the last event, bookmark or list
    time: float  # when that came, in seconds since the epoch


class EventType(Enum):
    """The types of events. The first three are the API server's."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    LISTING = "LISTING"  # a list begins
    LISTED = "LISTED"  # one item of that list
    SYNCED = "SYNCED"  # the list is complete: what is not in it is gone
    UNREADABLE = "UNREADABLE"  # a version of an unknown object could not be parsed
    BOOKMARK = "BOOKMARK"  # all up to a resourceVersion has come
    REFUSED = "REFUSED"  # a selection that was not asked for cannot be listed
    HORIZON = "HORIZON"  # what was remembered of a selection, with its first list
    PAST = "PAST"  # a write that is not remembered, and that something else tells
    LOST = "LOST"  # the watch of a selection broke
    BACK = "BACK"  # it works again


class WatchEvent(NamedTuple):
    """One event of a stream. Events keep the API server's order."""

    type: EventType
    selection: Selection
    time: float  # when it was received, in seconds since the epoch
    object: dict[str, JSON] | None = None  # the masked object, with apiVersion and kind
    since: float | None = None
    """For LISTING and UNREADABLE: until when all versions are known."""
    lost: bool = False  # for LISTING: versions since then are lost (410)
    reason: str = ""  # for REFUSED and LOST: why; for BACK: what was missed
    forbidden: bool = False  # for REFUSED: whether a right is missing
    lag: float | None = None
    """For LISTED: seconds by which the server's clock is behind ours at most."""
    version: str = ""
    """For SYNCED and BOOKMARK: the resourceVersion up to which all has come.

    For LISTING: the past one that is listed. Changes since then follow, and only then
    SYNCED.
    """
    bound: bool = False
    """Whether *time* is only the latest time at which it was written."""
    first: bool = False
    """Whether the server remembers no version before it, although there was one."""
    objects: int | None = None  # for SYNCED: how many came, if some were left out
    past: Any = None
    """For HORIZON: the `Past` of the selection. For PAST: the `EarlierWrite`."""

    @property
    def reached(self) -> str:
        """The resourceVersion up to which all has come with it; "" if it tells none."""
        if self.type.value in ("ADDED", "MODIFIED", "DELETED"):
            metadata = (self.object or {}).get("metadata") or {}
            return str(metadata.get("resourceVersion", ""))
        return "" if self.type is EventType.LISTING else self.version
