"""One step of an RFC 6902 patch, and one place where two versions differ."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.objects import JSON


class PatchOperation(NamedTuple):
    """One operation of a patch (RFC 6902, section 4), with its old value and label."""

    op: str
    path: str
    value: JSON = None  # the new value, for add and replace
    old: JSON = None  # the old value, for remove and replace, or the element, for move
    source: str = ""  # `from`, for move
    label: str = ""  # the keys of the list elements on the path: `type=Ready`

    def as_json(self) -> dict[str, JSON]:
        """Return the operation as RFC 6902 writes it."""
        if self.op == "remove":
            return {"op": "remove", "path": self.path}
        if self.op == "move":
            return {"op": "move", "from": self.source, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


Difference = tuple[str, str, str, JSON, JSON]
"""Two values that differ: their pointer, the object member that holds them or their
list, the label, the value before, and the value after."""
