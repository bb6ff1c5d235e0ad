"""The targets of a wait, and which of their objects meet the condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import in_brief


class Present(NamedTuple):
    """An existing object."""

    label: str
    met: str  # the condition that it meets, as typed, or ""
    status: str  # its state in words


ObjectName = tuple[str | None, str]  # a namespace or None, and a name
RootName = tuple[str, str, str | None, str]  # group, kind, namespace or None, name


@dataclass(slots=True)
class Root:
    """A target, and its existing objects."""

    selection: Selection
    stream: Selection | None = None
    """The stream of its records. With another one it begins anew."""
    listed: bool = False
    seen: bool = False  # whether an object ever existed
    present: dict[ObjectName, Present] = field(default_factory=dict)
    unmet: set[ObjectName] = field(default_factory=set)
    """The objects that do not meet it, kept because a search takes too long."""
    passed: dict[ObjectName, list[str]] = field(default_factory=dict)
    """How each object met its past steps."""
    uids: dict[ObjectName, str] = field(default_factory=dict)
    """The uids of the objects that met these steps."""

    @property
    def label(self) -> str:
        """`deployment.apps/web`, or `pods`."""
        resource = self.selection.resource
        if self.selection.name is None:
            return resource.group_resource
        return f"{resource.gvk.printed}/{self.selection.name}"

    def put(self, name: ObjectName, present: Present) -> None:
        """Put in the current state of an object."""
        self.seen = True
        self.present[name] = present
        if present.met:
            self.unmet.discard(name)
        else:
            self.unmet.add(name)

    @property
    def name(self) -> ObjectName:
        """The full name of the target, if it is one object."""
        return self.selection.namespace, self.selection.name or ""

    def of(self, name: ObjectName) -> RootName:
        gvk = self.selection.resource.gvk
        return gvk.group, gvk.kind, *name

    def steps_of(self, name: ObjectName) -> list[str]:
        return self.passed.setdefault(name, [])

    def take(self, name: ObjectName) -> Present | None:
        """Remove an object. Return its last state, or None."""
        self.unmet.discard(name)
        return self.present.pop(name, None)

    def begin(self, stream: Selection) -> None:
        """Drop the objects of an earlier run, unless *stream* is the current one.

        In a continued recording each run begins with its own list. Past steps stay met.
        """
        if self.stream is not stream:
            self.stream = stream
            self.listed = False
            self.present.clear()
            self.unmet.clear()

    def fits(self, selection: Selection) -> bool:
        """Return whether records of *selection* may be about this target."""
        own = self.selection
        return (
            own.asked == selection.asked
            and own.resource.group_resource == selection.resource.group_resource
            and selection.namespace in (None, own.namespace)
            and selection.name in (None, own.name)
            and own.label_selector == selection.label_selector
            and own.field_selector == selection.field_selector
        )

    def holds(self, record: ChangeRecord) -> bool:
        """Return whether the object of *record* belongs to this target."""
        own = self.selection
        return own.namespace in (None, record.namespace) and own.name in (
            None,
            record.name,
        )


def summary(present: Sequence[Present]) -> str:
    """Return `pod/web: ready (it is running and ready)`, or several in short."""
    first = present[0]
    if len(present) == 1:
        return f"{first.label}: {first.met}" + (
            f" ({first.status})" if first.status else ""
        )
    met = " or ".join(dict.fromkeys(each.met for each in present))
    return f"{in_brief([each.label for each in present])}: {met}"
