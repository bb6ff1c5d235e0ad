"""What was changed last in the root of a trace."""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.deployment_rollout import pod_template, revisions
from kubectl_spy.core.fields import moment
from kubectl_spy.core.headlines.edits import Edit, changed
from kubectl_spy.core.patch.difference import operations_between

_AT_ONCE = 3.0
"""Seconds within which a Deployment's controller makes the ReplicaSet of a change."""


def last_edit(entry: Entry, inventory: Inventory, known: Edit | None) -> Edit | None:
    """Return what was changed last in *entry*, as far as that can be told.

    *known* is its last change. If that came before the watch, its old version was not
    seen. The ReplicaSets of a Deployment still tell what its last rollout changed.
    """
    if known is not None and (known.text or known.created):
        return known
    return _rollout(entry, inventory, known) or known


def _rollout(entry: Entry, inventory: Inventory, known: Edit | None) -> Edit | None:
    """Return what began the current revision of a Deployment."""
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
    if known is not None and abs(known.time - began) < _AT_ONCE:
        return known._replace(text=text)
    return Edit(began, (), text)
