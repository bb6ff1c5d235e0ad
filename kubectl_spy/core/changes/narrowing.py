"""Which changes to show, by who made them and what they mention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import mapping, mappings
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.patch.operation import PatchOperation

# Separates writes by people and their tools from those by the control plane.

PEOPLE = "people"
"""The value of --by for everyone but the control plane."""
_USERS = (
    *("system:kube-", "system:node:", "system:apiserver"),
    "system:serviceaccount:kube-system:",
)
"""How the users of the control plane begin in audit logs.
https://kubernetes.io/docs/reference/access-authn-authz/rbac/#core-component-roles
"""
WRITTEN = frozenset({"Event", "Lease", "EndpointSlice", "Endpoints"})
"""Kinds that programs write."""
_OF_SERVER = ("/status", "/metadata/managedFields", "/metadata/generation")
_CHOSEN = ("/metadata/labels", "/metadata/annotations")
"""What people write in metadata, if no manager is known."""


def by_people(record: ChangeRecord) -> bool:
    """Return whether people, or a tool of theirs, likely made a change.

    That is everyone but the control plane, outside of the status. If nobody is known
    to have made it, it is a change of what only clients write: values that are removed
    leave no trace in managedFields.
    """
    if record.initial or record.of_stream or record.gvk.kind in WRITTEN:
        return False
    if record.type is ChangeType.LEFT:
        return False
    actor, managers = record.actor, record.managers
    if actor is not None and actor.user.startswith(_USERS):
        return False
    if actor is None and managers and CONTROLLERS.issuperset(managers):
        return False
    known = bool(managers) or actor is not None
    if record.type in (ChangeType.ADDED, ChangeType.DELETED):
        metadata = mapping(record.document, "metadata")
        return known or (bool(metadata) and not mappings(metadata, "ownerReferences"))
    paths = (step.path for step in record.patch)
    if known:
        return not all(path.startswith(_OF_SERVER) for path in paths)
    return any(map(_is_chosen, paths))


def _is_chosen(path: str) -> bool:
    if path.startswith("/metadata/"):
        return path.startswith(_CHOSEN)
    # The scheduler's binding leaves no entry in managedFields.
    return not path.startswith("/status") and path != "/spec/nodeName"


class Narrowing(NamedTuple):
    """What a change must have to be shown. Empty, all are shown."""

    managers: frozenset[str] = frozenset()
    """Field managers, one of which likely made it. PEOPLE are all but the control
    plane."""
    pattern: re.Pattern[str] | None = None
    """What a pointer or a value of it must contain."""

    def __bool__(self) -> bool:
        return bool(self.managers) or self.pattern is not None

    def keeps(self, record: ChangeRecord) -> bool:
        """Return whether to show *record*. A GAP of a whole stream always is."""
        if record.of_stream:
            return True
        people = PEOPLE in self.managers and by_people(record)
        if self.managers and self.managers.isdisjoint(record.managers) and not people:
            return False
        search = None if self.pattern is None else self.pattern.search
        return search is None or any(search(text) for text in _texts(record))


def _texts(record: ChangeRecord) -> Iterator[str]:
    """Yield the pointers and values of *record*; of a new object all of it."""
    if record.type is ChangeType.ADDED:
        yield _text(record.document)
    for step in record.patch:
        yield step.path
        yield from map(_text, (step.old, step.value))


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else dumps(value).decode("utf-8", "replace")


# Recognizes changes without news: heartbeats, renewed Leases, expired Events.

_BEATING = frozenset(
    {
        ("coordination.k8s.io", "Lease"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("", "Endpoints"),
    }
)
"""Types that change all the time, and whose changes other objects explain."""
CHURN = "Leases and EndpointSlices, heartbeats and expired Events"
_BEATS = ("/lastHeartbeatTime", "/lastProbeTime", "/renewTime")


def is_churn(record: ChangeRecord) -> bool:
    """Return whether *record* is an expired Event, or a change without news.

    An API server deletes each Event an hour after it was written last.
    """
    if record.gone:
        return record.gvk.kind == "Event"
    return record.type is ChangeType.MODIFIED and only_beats(record.gvk, record.patch)


def only_beats(gvk: GroupVersionKind, patch: Sequence[PatchOperation]) -> bool:
    """Return whether *patch* holds only heartbeats, or its type always changes.

    Nodes write one in their status every five minutes.
    https://kubernetes.io/docs/reference/node/node-status/#heartbeats
    """
    if (gvk.group, gvk.kind) in _BEATING:
        return True
    return bool(patch) and all(step.path.endswith(_BEATS) for step in patch)
