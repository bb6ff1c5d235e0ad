"""One step of an RFC 6902 patch, and one place where two versions differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from kubectl_spy.core.objects import JSON


class PatchOperation(NamedTuple):
    """One operation of a patch (RFC 6902 §4), with what a reader wants beside it."""

    op: str
    path: str
    value: JSON = None
    """The new value, for add and replace."""
    old: JSON = None
    """The value that goes, for remove and replace; the element, for move."""
    source: str = ""
    """`from`, for move."""
    label: str = ""
    """The list elements on the way, by their keys: `type=Ready`."""

    def as_json(self) -> dict[str, JSON]:
        """Return the operation as RFC 6902 writes it."""
        if self.op == "remove":
            return {"op": "remove", "path": self.path}
        if self.op == "move":
            return {"op": "move", "from": self.source, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


operation_of: Callable[[tuple[str, str, JSON, JSON, str, str]], PatchOperation] = (
    partial(tuple.__new__, PatchOperation)
)
"""Returns the operation of all its values, in a third of the time that its class
takes: there is one for each line that is shown."""


Difference = tuple[str, str, str, JSON, JSON]
"""Two values at one place that are not the same: the pointer to it, the object member
whose value this is (or whose list it is an element of), the label, before and after."""
