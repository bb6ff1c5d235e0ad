"""The last change of the spec of a root."""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.deployment_rollout import pod_template, revisions
from kubectl_spy.core.fields import moment
from kubectl_spy.core.headlines.edits import Edit, changed
from kubectl_spy.core.patch.difference import operations_between

_REACTION = 3.0
"""Seconds within which a controller creates the ReplicaSet of a changed Deployment."""


def last_edit(entry: Entry, inventory: Inventory, known: Edit | None) -> Edit | None:
    """Return the last change of *entry*, or None if it is not known.

    *known* is what its records say. They do not say what was changed before the watch
    began. The ReplicaSets of a Deployment still say it for its last rollout.
    """
    if known is not None and (known.text or known.created):
        return known
    return _rollout(entry, inventory, known) or known


def _rollout(entry: Entry, inventory: Inventory, known: Edit | None) -> Edit | None:
    """Return the change that made the current revision of a Deployment."""
    if (entry.gvk.group, entry.gvk.kind) != ("apps", "Deployment"):
        return None
    found = revisions(entry, inventory)
    if not found.exact or found.current is None or found.previous is None:
        return None
    began, before = (
        moment(each.document, "metadata", "creationTimestamp")
        for each in (found.current, found.previous)
    )
    if began is None or before is None or began < before:
        return None  # rolled back to a ReplicaSet that was there before
    old, new = (
        {"spec": {"template": pod_template(each)}}
        for each in (found.previous, found.current)
    )
    text = changed(operations_between(old, new))
    if not text:
        return None
    if known is not None and abs(known.time - began) < _REACTION:
        return known._replace(text=text)
    return Edit(began, (), text)
