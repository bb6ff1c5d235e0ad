"""Separates writes by people and their tools from those by the control plane."""

from __future__ import annotations

from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import mapping, mappings

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
