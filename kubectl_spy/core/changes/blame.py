"""Who wrote each field of an object last, by its changes or by its managedFields.

https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple, TypeAlias

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import owners_below
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import Actor, ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.apply import applied
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339

Tree: TypeAlias = Any
"""The shape of a document, with a `Write` or an `Empty` in place of each value."""


class Write(NamedTuple):
    """The last write of one field."""

    managers: tuple[str, ...] = ()
    """Who wrote it: one of these. Empty if that is not known."""
    time: float | None = None
    """When, in seconds since the epoch; from managedFields, in whole seconds, the last
    write of that manager. None if that is not known."""
    version: str = ""  # the resourceVersion that it led to, or "" if that is not known
    before: tuple[JSON, ...] = ()
    """The value before, or () if there was none or it is not known."""

    actor: Actor | None = None
    """Who it was, if an audit log tells."""
    unsure: bool = False
    """Whether others may have written it: a version was missed, or several own it."""
    source: str = ""
    """What tells the value before, if nobody saw that write."""

    @property
    def likely(self) -> bool:
        """Whether the manager is not certain: several own it, or a gap hides writes."""
        return self.unsure or len(self.managers) != 1


class Empty(NamedTuple):
    """An object or a list without members."""

    write: Write
    container: JSON


UNKNOWN = Write()


class Leaf(NamedTuple):
    """A field of a document with its last write."""

    path: str  # a JSON Pointer
    value: JSON
    write: Write

    def as_json(self) -> dict[str, JSON]:
        """Return the leaf as a JSON object, without members that are not known."""
        write = self.write
        line: dict[str, JSON] = {"path": self.path, "value": self.value}
        line["managers"] = list(write.managers)
        if write.likely:
            line["likely"] = True
        if write.time is not None:
            line["time"] = rfc3339(write.time)
        if write.version:
            line["resourceVersion"] = write.version
        if write.actor is not None:
            line["audit"] = write.actor._asdict()
        if write.before:
            line["before"] = write.before[0]
        if write.source:
            line["source"] = write.source
        return line


class Blame:
    """Follows the changes of one object, from its records in order."""

    def __init__(self) -> None:
        self.document: JSON = None
        self.tree: Tree = UNKNOWN
        self._earlier: dict[str, tuple[PatchOperation, str]] = {}
        """By path: the last step that something else tells of, and what that is."""

    def tell(self, earlier: EarlierWrite) -> None:
        """Take in a write of which only other objects give evidence."""
        steps = ((step.path, (step, earlier.source)) for step in earlier.patch)
        self._earlier.update(steps)

    def observe(self, record: ChangeRecord) -> None:
        """Take in a record of the object, with its whole document."""
        if record.gone:
            return
        # In a damaged recording an object may not have been seen before its change.
        seen, self.document = self.document is not None, record.document
        write = Write(
            record.managers,
            record.time,
            record.resource_version,
            actor=record.actor,
            unsure=record.type is ChangeType.GAP,
        )
        is_new = record.type is ChangeType.ADDED
        if seen and not is_new:
            for step in record.patch:
                self.tree = _after(self.tree, step, write)
        elif is_new and not (record.initial or record.listed):
            self.tree = _all(record.document, write)
        else:
            self.tree = owned(record.document)

    def annotated(self, excerpt: Excerpt) -> JSON:
        """Return what *excerpt* shows of the object, with a `Leaf` for each value."""
        shown = _annotated(self.document, self.tree, "", self._leaf)
        if excerpt.only:
            shown = pointer.only(shown, excerpt.only)
        hidden = (*excerpt.ignore, ("metadata", "managedFields"))
        return pointer.without(shown, hidden)

    def _leaf(self, path: str, value: JSON, write: Write) -> Leaf:
        """Return a leaf. An earlier write may add the value before."""
        step, source = self._earlier.get(path, (None, ""))
        seen = bool(write.before or write.version)
        if step and not seen and (step.op, step.value) == ("replace", value):
            write = write._replace(before=(step.old,), source=source)
        return Leaf(path, value, write)


def owned(document: JSON) -> Tree:
    """Return who wrote the fields of *document* by its managedFields, if it has any."""
    found = owners_below(document)

    def below(value: JSON, path: pointer.Tokens) -> Tree:
        if isinstance(value, dict) and value:
            return {key: below(each, (*path, key)) for key, each in value.items()}
        if isinstance(value, list) and value:
            return [below(each, (*path, str(n))) for n, each in enumerate(value)]
        names, time, several = found(path)
        return _leaf(value, Write(names, time, unsure=several))

    return below(document, ())


def leaves(annotated: JSON) -> Iterator[Leaf]:
    """Yield the leaves of an annotated document, in order."""
    if isinstance(annotated, Leaf):
        yield annotated
        return
    for each in annotated.values() if isinstance(annotated, dict) else annotated:
        yield from leaves(each)


def _annotated(
    document: JSON, tree: Tree, path: str, leaf: Callable[[str, JSON, Write], Leaf]
) -> JSON:
    """Return *document* with a *leaf* for each value. An empty container is one."""
    if isinstance(document, dict) and document:
        return {
            key: _annotated(each, tree[key], f"{path}/{pointer.escape(key)}", leaf)
            for key, each in document.items()
        }
    if isinstance(document, list) and document:
        return [
            _annotated(each, below, f"{path}/{number}", leaf)
            for number, (each, below) in enumerate(zip(document, tree, strict=True))
        ]
    write = tree.write if isinstance(tree, Empty) else tree
    return leaf(path, document, write if isinstance(write, Write) else UNKNOWN)


def _after(tree: Tree, step: PatchOperation, write: Write) -> Tree:
    known = step.op == "replace"
    value = _all(step.value, write, (step.old,) if known else ())
    tree = _opened(tree, pointer.parse(step.path)[:-1])
    return applied(tree, [{**step.as_json(), "value": value}])[0]


def _opened(tree: Tree, path: pointer.Tokens) -> Tree:
    """Return *tree* with an empty container at *path* that can be added to."""
    if isinstance(tree, Empty):
        return copy(tree.container)
    if path and not isinstance(tree, Write):
        tree = copy(tree)
        place = path[0] if isinstance(tree, dict) else int(path[0])
        tree[place] = _opened(tree[place], path[1:])
    return tree


def _all(value: JSON, write: Write, before: tuple[JSON, ...] = ()) -> Tree:
    """Return the tree of *value*, all written by *write*, in place of *before*."""
    old = before[0] if before else None
    if isinstance(value, dict) and value:
        known = old if isinstance(old, dict) else {}
        return {
            key: _all(each, write, (known[key],) if key in known else ())
            for key, each in value.items()
        }
    if isinstance(value, list) and value:
        return [_all(each, write) for each in value]
    return _leaf(value, write._replace(before=before))


def _leaf(value: JSON, write: Write) -> Tree:
    return Empty(write, value) if isinstance(value, dict | list) else write
