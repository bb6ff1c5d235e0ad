"""What of the objects that were asked for is there, and whether it is as awaited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import Selection

_NAMED = 3
"""How many objects are named at the most."""


class Present(NamedTuple):
    """An object that is there."""

    label: str
    met: str
    """The condition that it meets, as typed; "" for none."""
    told: str
    """How it is, as far as the conditions are concerned."""


ObjectName = tuple[str | None, str]
"""A namespace, None for what has none, and a name."""
RootName = tuple[str, str, str | None, str]
"""An API group and a kind before them."""


@dataclass(slots=True)
class Root:
    """Something that was asked for, and what is there of it."""

    selection: Selection
    stream: Selection | None = None
    """That of the records of it, by identity: another one begins anew."""
    listed: bool = False
    seen: bool = False
    """Whether anything was ever there."""
    present: dict[ObjectName, Present] = field(default_factory=dict)
    unmet: set[ObjectName] = field(default_factory=set)
    """Those of them that do not meet it: looking through all takes too long."""
    passed: dict[ObjectName, list[str]] = field(default_factory=dict)
    """By object, how it met the steps that are over for it."""
    uids: dict[ObjectName, str] = field(default_factory=dict)
    """Of the objects that took these steps."""

    @property
    def label(self) -> str:
        """`deployment.apps/web`, or `pods`."""
        resource = self.selection.resource
        if self.selection.name is None:
            return resource.group_resource
        return f"{resource.gvk.printed}/{self.selection.name}"

    def put(self, name: ObjectName, present: Present) -> None:
        """Take note of how an object is now."""
        self.seen = True
        self.present[name] = present
        if present.met:
            self.unmet.discard(name)
        else:
            self.unmet.add(name)

    @property
    def name(self) -> ObjectName:
        """That of the one object that was asked for by its name."""
        return self.selection.namespace, self.selection.name or ""

    def of(self, name: ObjectName) -> RootName:
        """Return the whole name of an object."""
        gvk = self.selection.resource.gvk
        return gvk.group, gvk.kind, *name

    def steps_of(self, name: ObjectName) -> list[str]:
        """Return how an object met the steps that are over for it."""
        return self.passed.setdefault(name, [])

    def take(self, name: ObjectName) -> Present | None:
        """Forget an object; return how it was, if it was there."""
        self.unmet.discard(name)
        return self.present.pop(name, None)

    def begin(self, stream: Selection) -> None:
        """Begin anew with the records of *stream*, unless they are known already.

        In a recording that was continued another run begins with a list of its own.
        The steps that objects took stay taken.
        """
        if self.stream is not stream:
            self.stream = stream
            self.listed = False
            self.present.clear()
            self.unmet.clear()

    def fits(self, selection: Selection) -> bool:
        """Whether records of *selection* may be about this."""
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
        """Whether the object of *record* was asked for with this."""
        own = self.selection
        return own.namespace in (None, record.namespace) and own.name in (
            None,
            record.name,
        )


def listing(labels: Sequence[str], *, joint: str = ", ") -> str:
    """Return the first of *labels*, and how many more there are.

    >>> listing(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(labels) - _NAMED
    return joint.join(labels[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def summary(present: Sequence[Present]) -> str:
    """Return `pod/web: ready (it is running and ready)`, or of several in short."""
    first = present[0]
    if len(present) == 1:
        return f"{first.label}: {first.met}" + (
            f" ({first.told})" if first.told else ""
        )
    met = " or ".join(dict.fromkeys(each.met for each in present))
    return f"{listing([each.label for each in present])}: {met}"
