"""The writes that people made, in order, and those of GitOps controllers."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, as_record
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.diagnosis.services.seen_service import labels_of
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.headlines.edits import Edit, earlier_edit, edit_of, edits
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.quantities import quantity

_BY_PLANE = frozenset({"event", "lease", "endpoints", "endpointslice"})
"""Kinds that people do not write."""
_MADE_BY_CLUSTER = frozenset(
    {("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")}
)
"""What controllers put into each namespace.
https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/
"""
_TOGETHER = 5.0  # seconds between writes that are alike
_OFTEN = 5  # writes of the same fields that are one line
_KEPT = 100  # the most writes of one object to keep
_OBJECTS = 10_000  # the most objects whose writes are kept: those written last
_MOST = 10_000  # the most values of one write to look at
_TEMPLATES = (
    ("spec", "template", "spec"),
    ("spec", "jobTemplate", "spec", "template", "spec"),
)

Key = tuple[str, str, str]
"""The kind, the namespace and the name of an object, whatever its uid."""
Pair = tuple[str, str]


class Write(NamedTuple):
    """A write of an object outside of its status."""

    number: int  # its place among all writes
    record: ChangeRecord
    edit: Edit
    labels: frozenset[Pair] = frozenset()
    """The labels of the Pods of the object, before and after."""
    alike: int = 0  # how many other writes are folded into it
    times: int = 1  # how often the same fields were written alike

    @property
    def whole(self) -> bool:
        """Whether it created or deleted the object."""
        record = self.record
        return record.type is ChangeType.ADDED or record.gone or self.deletes

    @property
    def deletes(self) -> bool:
        """Whether it deleted the object."""
        return self.edit.what == (DELETED,)

    @property
    def template(self) -> bool:
        """Whether all it changed is in a Pod template, which only new Pods have."""
        return not self.whole and all(
            each.path[:1] == ("pod",) for each in self.changes()
        )

    def is_among(self, fields: Container[tuple[str, str]]) -> bool:
        """Return whether it changed only *fields*: pairs of an object and a pointer."""
        paths = {step.path for step in self.record.patch} - {"/metadata/generation"}
        identity = self.record.identity
        return not self.whole and all((identity, path) in fields for path in paths)

    def changes(self) -> Iterator[Change]:
        """Return the fields that it changed."""
        kind = self.record.gvk.kind
        if self.whole:
            created = PatchOperation("add", "", self.record.document)
            steps: tuple[PatchOperation, ...] = () if self.deletes else (created,)
        else:
            steps = self.record.patch
        return changes(steps, kind)


def changes(steps: Iterable[PatchOperation], kind: str) -> Iterator[Change]:
    """Yield the fields outside of the status that *steps* change in a *kind*."""
    for step in steps:
        path = _in_pod(pointer.parse(step.path), kind)
        if path[1:2] and path[1] in CONTAINERS and path[2:] and step.label:
            name = step.label.split()[0].partition("=")[2]
            path = (*path[:2], name, *path[3:])
        if path[:1] != ("status",):
            old = {} if step.op == "add" else dict(_leaves(path, step.old))
            new = {} if step.op == "remove" else dict(_leaves(path, step.value))
            for where in new | old:
                at = _in_pod(where, kind)
                yield Change(at, old.get(where), new.get(where))


class Change(NamedTuple):
    """A field that a write changed."""

    path: pointer.Tokens
    """Paths into a Pod template begin with `pod`, and name the container."""
    old: str | None  # None: there was none
    new: str | None  # None: there is none; "" is a list or an object

    @property
    def where(self) -> str:
        """The path as text, followed by FEWER or MORE if its number fell or rose."""
        trend = ""
        if self.path[-1:] and _BOUNDS.search("/".join(self.path)):
            old, new = quantity(self.old), quantity(self.new)
            if old is not None and new is not None and old != new:
                trend = f"/{FEWER if new < old else MORE}"
        return "/".join(self.path) + trend


DELETED = "deleted"
FEWER = "fewer"
MORE = "more"
_BOUNDS = re.compile("eplicas$|(^|/)(limits|requests|hard|max)/[^/]+$")
"""The fields whose numbers may become more or fewer."""
CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


class Writes:
    """The writes of a cluster's objects by anyone but its control plane."""

    def __init__(self) -> None:
        self.count = 0
        self.earlier = 0  # of them, how many something else tells of
        self._born: dict[str, int] = {}
        self._kinds: dict[str, dict[Key, list[Write]]] = {}
        self._written: dict[Key, None] = {}  # the objects, in order of their last write

    def observe(self, record: ChangeRecord, seen: Inventory) -> Write | None:
        """Take in *record*, which follows what was *seen*. Return its write."""
        before = seen.entry(record.identity)
        document = before.document if before else record.document
        edit = _by_client(record, document)
        if edit is not None and not edit.managers:
            edit = None if _is_by_cluster(record, seen) else edit
        if record.type is ChangeType.ADDED and not record.initial:
            self._born[record.identity] = self.count
        elif record.gone:
            self._born.pop(record.identity, None)
        return None if edit is None else self._add(record, edit, document)

    def tell(self, earlier: EarlierWrite, seen: Inventory) -> Write | None:
        """Take in a write that something else tells of, if a client made it."""
        if earlier.managers and CONTROLLERS.issuperset(earlier.managers):
            return None
        before = seen.entry(earlier.identity)
        document = before.document if before else None
        self.earlier += 1
        record = as_record(earlier, document)
        return self._add(record, earlier_edit(earlier), document)

    def born(self, uids: Iterable[str]) -> int:
        """Return the number of writes before the last of some objects was created."""
        return max((self._born.get(uid, 0) for uid in uids), default=0)

    def _add(self, record: ChangeRecord, edit: Edit, before: JSON) -> Write:
        labels = {*_pod_labels(before), *_pod_labels(record.document)}
        write = Write(self.count, record, edit, frozenset(labels))
        self.count += 1
        key = key_of(record)
        known = self._kinds.setdefault(key[0], {}).setdefault(key, [])
        known.append(write)
        del known[:-_KEPT]
        self._written.pop(key, None)
        self._written[key] = None
        if len(self._written) > _OBJECTS:
            oldest = next(iter(self._written))
            del self._written[oldest], self._kinds[oldest[0]][oldest]
        return write

    def of(self, key: Key) -> list[Write]:
        """Return the writes of an object, in order."""
        return self._kinds.get(key[0], {}).get(key, [])

    def of_kind(self, kind: str, namespace: str | None) -> Iterator[Write]:
        """Yield the writes of objects of a *kind* that concern a *namespace*."""
        for (_, space, name), writes in self._kinds.get(kind, {}).items():
            here = name if kind == "Namespace" else space
            if here in ("", namespace) or namespace is None:
                yield from writes


def key_of(item: ChangeRecord | Entry) -> Key:
    """Return the key of an object. The namespace of a cluster-wide one is empty."""
    return item.gvk.kind, item.namespace or "", item.name


def folded(writes: list[Write], named: Container[int] = ()) -> list[Write]:
    """Return *writes* in order; those that are alike and made together are one.

    So is what one manager wrote to the same fields of an object again and again. One
    whose number is in *named* stands for the others.
    """
    found: dict[object, Write] = {}
    last: dict[object, float] = {}
    places: list[object] = []
    for each in _condensed(writes):
        record, edit = each.record, each.edit
        what = edit.managers, edit.what, edit.created, record.actor
        like = record.gvk.kind, record.namespace, *what
        place: object = like
        if like not in last or edit.time - last[like] > _TOGETHER:
            place = (like, each.number)
            places.append(place)
            found[place] = each
            found[like] = each
        else:
            place = (like, found[like].number)
            known = found[place]
            shown = each if each.number in named else known
            found[place] = shown._replace(alike=known.alike + 1)
        last[like] = edit.time
    return [found[place] for place in places]


def _condensed(writes: list[Write]) -> list[Write]:
    groups: dict[object, list[Write]] = {}
    for each in writes:
        record = each.record
        fields = tuple(step.path for step in record.patch)
        key = (record.identity, each.edit.managers, fields)
        groups.setdefault(each.number if each.whole else key, []).append(each)
    found: list[Write] = []
    for group in groups.values():
        first, last = group[0], group[-1]
        if len(group) < _OFTEN:
            found += group
            continue
        steps = zip(first.record.patch, last.record.patch, strict=True)
        patch = [step._replace(old=began.old) for began, step in steps]
        what = tuple(edits(patch, last.record.document))
        edit = first.edit._replace(what=what)
        found.append(first._replace(record=last.record, edit=edit, times=len(group)))
    return sorted(found, key=lambda each: each.number)


def _by_client(record: ChangeRecord, document: JSON) -> Edit | None:
    """Return what anyone but the control plane changed in *record*, or None.

    *document* is the version before.
    """
    if record.of_stream or record.initial or record.gvk.kind.lower() in _BY_PLANE:
        return None
    controlled = bool(controller_of(document))
    if record.gone:
        asked = mapping(document, "metadata").get("deletionTimestamp")
        return None if controlled or asked else Edit(record.time, (), (DELETED,))
    paths = [step.path for step in record.patch]
    if "/metadata/deletionTimestamp" in paths and not controlled:
        return Edit(record.time, (), (DELETED,))
    if set(record.managers) <= CONTROLLERS and (record.managers or controlled):
        return None
    return edit_of(record)


def _is_by_cluster(record: ChangeRecord, seen: Inventory) -> bool:
    """Return whether the control plane likely made a change that names no manager.

    Writes of /scale may leave no trace in managedFields: docs/blame.md. A namespace
    that is deleted takes what is in it along.
    """
    paths = {step.path for step in record.patch} - {"/metadata/generation"}
    if paths == {"/spec/replicas"}:
        return any(
            text(each.document, "spec", "scaleTargetRef", "name") == record.name
            for each in seen.every(
                "autoscaling", "HorizontalPodAutoscaler", record.namespace
            )
        )
    if paths and all(path.startswith("/metadata/finalizers") for path in paths):
        values = [each for step in record.patch for each in (step.old, step.value)]
        names = [name for it in values for name in (it if type(it) is list else [it])]
        return all(each in (None, "foregroundDeletion", "orphan") for each in names)
    space = seen.named("", "Namespace", None, record.namespace or "")
    leaves = space and mapping(space.document, "metadata").get("deletionTimestamp")
    made = (record.gvk.kind, record.name) in _MADE_BY_CLUSTER
    return bool(leaves) or (made and record.type is ChangeType.ADDED)


def _pod_labels(document: JSON) -> frozenset[Pair]:
    """Return the labels of a Pod, or of the Pods that an object makes."""
    template = mapping(document, "spec", "template")
    return frozenset(labels_of(template or document).items())


def _leaves(path: pointer.Tokens, value: JSON) -> Iterator[tuple[pointer.Tokens, str]]:
    pending = [(path, value)]
    for _ in range(_MOST):
        if not pending:
            return
        at, found = pending.pop()
        if isinstance(found, dict) and found:
            pending += [((*at, key), each) for key, each in found.items()]
        elif isinstance(found, list) and found:
            pending += [((*at, str(n)), each) for n, each in enumerate(found)]
        else:
            plain = isinstance(found, str | int | float)
            yield at, str(found) if plain else ""


def _in_pod(path: pointer.Tokens, kind: str) -> pointer.Tokens:
    for each in (("spec",),) if kind == "Pod" else _TEMPLATES:
        if path[: len(each)] == each:
            return "pod", *path[len(each) :]
    return path
