"""The last change of a root that may explain its state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kubectl_spy.core.causes.categories import category_of
from kubectl_spy.core.causes.writes import changes
from kubectl_spy.core.changes.managers import CONTROLLERS, owners
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.diagnosis.kinds.deployment_rollout import pod_template, revisions
from kubectl_spy.core.fields import mapping, moment
from kubectl_spy.core.headlines.edits import Edit, edits
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import time_of

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
    _managed: JSON = None
    """The managedFields of the Pod template at that time."""
    _client: Edit | None = None
    """The last one that was not a controller's alone."""
    _template: Edit | None = None
    """The last one of the Pod template during the watch."""

    def note(self, record: ChangeRecord, edit: Edit) -> None:
        """Take in what *record* changed."""
        if record.initial:
            self._before = edit
            self._managed = record.edited.managed if record.edited else None
        else:
            self.seen = edit
        if not edit.managers or set(edit.managers) - CONTROLLERS:
            self._client = edit
        template = [
            step for step in record.patch if step.path.startswith("/spec/template")
        ]
        if record.type is not ChangeType.ADDED and edits(template, record.document):
            self._template = edit

    def last(
        self, entry: Entry, inventory: Inventory, finding: Finding | None
    ) -> Edit | None:
        """Return the change that matters most for the root *entry*.

        That is the last one of its Pod template that may explain *finding*, else the
        last one of that, else the last one by a client.
        """
        rollouts = inventory.once(_rollouts, entry)
        before = self._template
        if before is None and rollouts:
            fields = "" if finding is None else category_of(finding).fields
            fitting = (
                rollout
                for rollout in rollouts
                for each in changes(rollout.steps, entry.gvk.kind)
                if re.match(fields, each.where)
            )
            before = self._began(next(fitting, rollouts[0]))
        return before or self._client or self.seen

    def _began(self, rollout: _Rollout) -> Edit | None:
        """Return the change of *rollout*, with the clients who own what it wrote."""
        edit, known = rollout.edit, self._before
        if edit is None:
            return known
        if self._managed:
            of = {**rollout.made, "metadata": {"managedFields": self._managed}}
            times = {
                name: time
                for name, (_, last) in owners(of, rollout.steps).items()
                if abs((time := time_of(last) or 0.0) - edit.time) < _REACTION
            }
            time = max(times.values(), default=edit.time)
            return edit._replace(time=time, managers=tuple(times))
        if known is not None and abs(known.time - edit.time) < _REACTION:
            return known._replace(what=edit.what, created=False)
        return edit


class _Rollout(NamedTuple):
    """A change of the Pod template, which made a revision of a Deployment."""

    edit: Edit | None  # None if the ReplicaSets do not tell when it was
    steps: Sequence[PatchOperation] = ()
    made: Mapping[str, JSON] = {}  # a document with the new template


def _rollouts(entry: Entry, inventory: Inventory) -> tuple[_Rollout, ...]:
    """Return the changes that made the revisions of a Deployment, the newest first.

    They end at one whose time the ReplicaSets do not tell.
    """
    found: list[_Rollout] = []
    if (entry.gvk.group, entry.gvk.kind) != ("apps", "Deployment"):
        return ()
    known = revisions(entry, inventory)
    for current, previous in pairwise(known.every() if known.exact else ()):
        # The creation of one that was used again does not say when that was.
        notes = mapping(current.document, "metadata", "annotations")
        began, before = (
            moment(each.document, "metadata", "creationTimestamp")
            for each in (current, previous)
        )
        dated = began is not None and before is not None and began >= before
        if began is None or not dated or _EARLIER_REVISIONS in notes:
            return (*found, _Rollout(None))
        old, new = (
            {"spec": {"template": pod_template(each)}} for each in (previous, current)
        )
        steps = operations_between(old, new)
        if what := tuple(edits(steps, new)):
            found.append(_Rollout(Edit(began, (), what), steps, new))
    return tuple(found)
