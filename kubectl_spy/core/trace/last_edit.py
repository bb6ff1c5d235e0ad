"""The last change of a root that may explain its state."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.deployment_rollout import pod_template, revisions
from kubectl_spy.core.fields import mapping, moment
from kubectl_spy.core.headlines.edits import Edit, edits
from kubectl_spy.core.patch.difference import operations_between

_REACTION = 3.0
"""Seconds within which a controller creates the ReplicaSet of a changed Deployment."""
_EARLIER_REVISIONS = "deployment.kubernetes.io/revision-history"
"""An annotation of a ReplicaSet that was used again: the revisions it had before.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/deployment/util/deployment_util.go
"""


@dataclass(slots=True)
class Edits:
    """The last changes in the records of one root."""

    seen: Edit | None = None
    """The last one during the watch."""
    _before: Edit | None = None
    """The last one by a client before the watch."""
    _client: Edit | None = None
    """The last one that was not a controller's alone."""
    _template: Edit | None = None
    """The last one of the Pod template during the watch."""

    def note(self, record: ChangeRecord, edit: Edit) -> None:
        """Take in what *record* changed."""
        if record.initial:
            self._before = edit
        else:
            self.seen = edit
        if not edit.managers or set(edit.managers) - CONTROLLERS:
            self._client = edit
        template = [
            step for step in record.patch if step.path.startswith("/spec/template")
        ]
        if record.type is not ChangeType.ADDED and edits(template, record.document):
            self._template = edit

    def last(self, entry: Entry, inventory: Inventory) -> Edit | None:
        """Return the change that matters most for the root *entry*.

        That is the last one of its Pod template, else the last one by a client.
        """
        before = self._template or self._began(inventory.once(_rollout, entry))
        return before or self._client or self.seen

    def _began(self, rollout: Edit | None) -> Edit | None:
        """Return *rollout* with the manager who likely began it."""
        known = self._before
        if rollout is None or not rollout.what:
            return None if rollout is None else known
        if known is not None and abs(known.time - rollout.time) < _REACTION:
            return known._replace(what=rollout.what, created=False)
        return rollout


def _rollout(entry: Entry, inventory: Inventory) -> Edit | None:
    """Return the change that made the current revision of a Deployment, or None.

    It is empty if the ReplicaSets do not tell when it was.
    """
    if (entry.gvk.group, entry.gvk.kind) != ("apps", "Deployment"):
        return None
    found = revisions(entry, inventory)
    if not found.exact or found.current is None or found.previous is None:
        return None
    if _EARLIER_REVISIONS in mapping(found.current.document, "metadata", "annotations"):
        return Edit(0.0, ())  # its creation does not say when it was used again
    began, before = (
        moment(each.document, "metadata", "creationTimestamp")
        for each in (found.current, found.previous)
    )
    if began is None or before is None or began < before:
        return Edit(0.0, ())
    old, new = (
        {"spec": {"template": pod_template(each)}}
        for each in (found.previous, found.current)
    )
    what = tuple(edits(operations_between(old, new), new))
    return Edit(began, (), what) if what else None
