"""An unrecorded write, reconstructed from a revision, a manager or an Event.

It has a patch, or only the fields of a manager. No version is made of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kubectl_spy.core.objects import JSON, GroupVersionKind, Selection
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339, seconds

PAST = "PAST"
"""The type of its line in a recording."""
_STEPS = ("add", "remove", "replace", "move")


class EarlierWrite(NamedTuple):
    """One write of an object, or several that cannot be told apart."""

    selection: Selection
    namespace: str | None
    name: str
    uid: str
    time: float  # the earliest time at which it may have been made
    until: float  # the latest; equal to *time* if that is known to the second
    origin: str  # what tells of it: one of docs/past.md
    source: str  # which one: "ReplicaSet web-5d6, revision 3"
    managers: tuple[str, ...] = ()
    patch: tuple[PatchOperation, ...] = ()
    """What changed, with the values before as far as they are known."""
    fields: tuple[str, ...] = ()
    """Pointers to what *managers* own since, if nothing tells what changed."""
    approximate: bool = False
    """Whether it may be several writes, or one that took effect only in part."""

    @property
    def gvk(self) -> GroupVersionKind:
        """The type of the object."""
        return self.selection.resource.gvk

    @property
    def identity(self) -> str:
        """The identity of the object, as that of a `ChangeRecord`."""
        return self.uid or f"{self.gvk.kind}/{self.namespace}/{self.name}"

    def as_json(self) -> dict[str, JSON]:
        """Return the members of its line: docs/recording-format.md."""
        line: dict[str, JSON] = {
            "time": rfc3339(self.time),
            "type": PAST,
            "apiVersion": self.gvk.api_version,
            "kind": self.gvk.kind,
        }
        if self.namespace:
            line["namespace"] = self.namespace
        line |= {"name": self.name, "uid": self.uid}
        if self.until > self.time:
            line["until"] = rfc3339(self.until)
        line |= {"origin": self.origin, "source": self.source}
        if self.approximate:
            line["approximate"] = True
        line["managers"] = list(self.managers)
        if self.patch:
            line["patch"] = list(map(_with_before, self.patch))
        if self.fields:
            line["fields"] = list(self.fields)
        return line


def earlier_of(
    members: dict[str, Any], time: float, selection: Selection
) -> EarlierWrite:
    """Return the write of a PAST line, whose members were checked.

    Raises ValueError if its patch is none, or a pointer of it is none.
    """
    get = members.get
    until, fields = get("until"), tuple(get("fields") or ())
    for each in fields:
        pointer.parse(each)
    return EarlierWrite(
        selection,
        get("namespace"),
        members["name"],
        get("uid") or "",
        time,
        time if until is None else max(time, seconds(until)),
        members["origin"],
        get("source") or "",
        tuple(get("managers") or ()),
        tuple(map(_operation, get("patch") or ())),
        fields,
        get("approximate") is True,
    )


def _with_before(step: PatchOperation) -> dict[str, JSON]:
    line = step.as_json()
    if step.op in ("replace", "remove") and step.old is not None:
        line["before"] = step.old
    if step.label:
        line["label"] = step.label
    return line


def _operation(step: JSON) -> PatchOperation:
    if not isinstance(step, dict):
        raise ValueError("its patch is none")
    get = step.get
    op, path, label, source = (get(it, "") for it in ("op", "path", "label", "from"))
    texts = all(isinstance(each, str) for each in (path, label, source))
    if not texts or op not in _STEPS or "path" not in step:
        raise ValueError("its patch is none")
    pointer.parse(path)
    return PatchOperation(op, path, get("value"), get("before"), source, label)
